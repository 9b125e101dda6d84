"""Scenarios (III): ids, tiers, priorities, stories."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.plan import Plan, Requirement
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.values import has_placeholder, is_bare_na, is_user_story

_BUNDLED = re.compile(
    r";\s*(?:verify|check|that)\b|\band (?:also |then )?verify\b"
    r"|\b(?:enabl\w+|on) and (?:then )?(?:disabl\w+|off)\b|\bboth directions\b",
    re.IGNORECASE,
)
_REGRESSION = re.compile(r"\bregressions?\b|\bexisting (?:scenarios?|tests?|suites?)\b", re.IGNORECASE)
_END_TO_END = re.compile(r"\bend[- ]to[- ]end\b|\bupgrad\w+\b|\bworkflow\b|\bdisaster\b", re.IGNORECASE)
_COSTLY = re.compile(r"\bwindows\b|\bsoak\b|\blongevity\b", re.IGNORECASE)
_TIER_ONE, _TIER_THREE = 1, 3


@rule("scenario-no-requirement-id", Severity.CRITICAL)
def scenario_no_requirement_id(subject: Subject) -> Iterator[Hit]:
    """An entry has no bold requirement id; in a table, the first row of a requirement.

    Why: nobody can tell which requirement the scenario proves.
    Bad: `- As a user, I want …`
    Good: `- **[CNV-00042]** — As a user, I want …`
    """
    for requirement in _requirements(subject.plan):
        if not requirement.id and not requirement.continued:
            yield Hit(requirement.line, "the entry has no requirement id", "begin it with **[KEY-123]**")


@rule("requirement-id-tbd", Severity.CRITICAL)
def requirement_id_tbd(subject: Subject) -> Iterator[Hit]:
    """A requirement id holds no issue key.

    Why: nobody can tell which requirement the scenario proves.
    Bad: `- **[TBD]** — As a user, I want …`
    Good: `- **[CNV-00042]** — As a user, I want …`
    """
    for requirement in _requirements(subject.plan):
        if requirement.id and requirement.key is None and not requirement.continued:
            yield Hit(requirement.line, f"requirement id {requirement.id!r} is no issue key", "write the key")


@rule("scenario-missing", Severity.CRITICAL)
def scenario_missing(subject: Subject) -> Iterator[Hit]:
    """A requirement has no scenario text.

    Why: the requirement would ship untested.
    Bad: an entry with tier and priority alone
    Good: with `*Test Scenario:* [Tier 2] Verify that …`
    """
    for requirement in _requirements(subject.plan):
        if not any(scenario.text for scenario in requirement.scenarios):
            yield Hit(requirement.line, "the requirement has no scenario", "add `*Test Scenario:* [Tier 2] Verify …`")


@rule("scenario-no-tier", Severity.HIGH)
def scenario_no_tier(subject: Subject) -> Iterator[Hit]:
    """A scenario has no tier, or one that is not 1, 2 or 3.

    Why: the tier decides which lane runs it.
    Bad: `*Test Scenario:* Verify that …`
    Good: `*Test Scenario:* [Tier 2] Verify that …`
    """
    for scenario in subject.plan.scenarios:
        if scenario.tier is None and scenario.text:
            shown = f"{scenario.tier_written} is no tier" if scenario.tier_written else "the scenario has no tier"
            yield Hit(scenario.line, shown, "write [Tier 1], [Tier 2] or [Tier 3] in front of it")


@rule("scenario-no-priority", Severity.HIGH)
def scenario_no_priority(subject: Subject) -> Iterator[Hit]:
    """A scenario has no priority, or one that is not P0, P1 or P2.

    Why: the priority decides whether a failure blocks a release.
    Bad: no Priority line
    Good: `*Priority:* P1`
    """
    for scenario in subject.plan.scenarios:
        if scenario.priority is None and scenario.text:
            written = scenario.priority_written
            yield Hit(
                scenario.line,
                f"{written!r} is no priority" if written else "the scenario has no priority",
                "add P0, P1 or P2",
            )


@rule("scenario-tier-spelling", Severity.LOW)
def scenario_tier_spelling(subject: Subject) -> Iterator[Hit]:
    """A tier is spelled otherwise than `[Tier 2]`.

    Why: tiers are searched for in one spelling.
    Bad: `[T2] Verify that …`
    Good: `[Tier 2] Verify that …`
    """
    for scenario in subject.plan.scenarios:
        good = (f"[Tier {scenario.tier}]", f"Tier {scenario.tier}", str(scenario.tier))
        if scenario.tier is not None and scenario.tier_written not in good:
            yield Hit(scenario.line, f"the tier is written {scenario.tier_written}", f"write [Tier {scenario.tier}]")


@rule("requirement-not-user-story", Severity.MEDIUM)
def requirement_not_user_story(subject: Subject) -> Iterator[Hit]:
    """The summary of a requirement is no user story.

    Why: role and purpose tell what has to be observed.
    Bad: `- **[CNV-00042]** — Clone speed`
    Good: `- **[CNV-00042]** — As a VM owner, I want fast clones so that …`
    """
    for requirement in _requirements(subject.plan):
        summary = requirement.summary
        if not (is_user_story(summary) or has_placeholder(summary) or (requirement.continued and not summary)):
            yield Hit(requirement.line, "the requirement is no user story", "write As a <role>, I want … so that …")


@rule("scenario-bundled", Severity.MEDIUM, Kind.HEURISTIC)
def scenario_bundled(subject: Subject) -> Iterator[Hit]:
    """A scenario bundles checks that can fail apart.

    Why: when it fails, nobody knows which half did; when half is not done, all is not done.
    Bad: `Verify that disks grow; verify that they shrink`
    Good: two scenarios
    """
    for scenario in subject.plan.scenarios:
        match = _BUNDLED.search(scenario.text)
        if match:
            yield Hit(scenario.line, "several checks in one scenario", "split it", matched=(match[0],))


@rule("scenario-regression", Severity.HIGH, Kind.HEURISTIC)
def scenario_regression(subject: Subject) -> Iterator[Hit]:
    """A scenario repeats existing tests.

    Why: existing suites own regression; here it hides what is new.
    Bad: `Verify that existing scenarios pass`
    Good: the suite under Regression Testing in II.2
    """
    for scenario in subject.plan.scenarios:
        match = _REGRESSION.search(scenario.text)
        if match:
            yield Hit(scenario.line, "regression among the scenarios", "name the suite in II.2", matched=(match[0],))


@rule("tier-misclassified", Severity.MEDIUM, Kind.HEURISTIC)
def tier_misclassified(subject: Subject) -> Iterator[Hit]:
    """Tier 1 with an end-to-end or upgrade flow; Windows guests or soak tests below Tier 3.

    Why: a costly test in a fast lane delays everybody; a cheap one in a slow lane comes late.
    Bad: `[Tier 1] Verify an upgrade end to end`
    Good: `[Tier 2] Verify an upgrade end to end`
    """
    for scenario in subject.plan.scenarios:
        wide = _END_TO_END.search(scenario.text) if scenario.tier == _TIER_ONE else None
        costly = _COSTLY.search(scenario.text) if scenario.tier is not None and scenario.tier < _TIER_THREE else None
        if wide:
            yield Hit(scenario.line, "more than Tier 1", "make it Tier 2", matched=(wide[0],))
        elif costly:
            yield Hit(scenario.line, f"more than Tier {scenario.tier}", "make it Tier 3", matched=(costly[0],))


def _requirements(plan: Plan) -> Iterator[Requirement]:
    """Entries that are requirements: a bare None below a group heading is none."""
    for requirement in plan.requirements:
        if requirement.id or requirement.scenarios or not is_bare_na(requirement.summary):
            yield requirement
