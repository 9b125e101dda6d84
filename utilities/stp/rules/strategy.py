"""Test strategy (II.2): thirteen types, each with a box and details that agree."""

import re
from collections.abc import Iterator

from utilities.stp.blocks import Box
from utilities.stp.finding import Severity
from utilities.stp.plan import Plan, StrategyItem
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.values import has_placeholder, is_bare_na, is_empty, issue_key
from utilities.stp.vocabulary import STRATEGY_TYPES, Part

_CHILD_MAY_SKIP = ("Compatibility Testing", "Cloud Testing")
_COVERED_BY = re.compile(r"\bcovered by\b", re.IGNORECASE)
_DENIAL = re.compile(
    r"^\W*(?:not applicable|n/?a\b|none\b|no (?:dependenc\w+|impact|other)|out of scope"
    r"|not (?:planned|needed|required))",
    re.IGNORECASE,
)
_STILL_TESTED = re.compile(r"\b(?:tested|verified|checked|repeats?|runs?)\b", re.IGNORECASE)
_UI_TEAM = re.compile(r"\b(?:ui|ux|console) team\b", re.IGNORECASE)
_OWN_CHECK = re.compile(r"\b(?:qe (?:checks?|tests?|verif\w+)|we (?:check|test|verify))\b", re.IGNORECASE)
_EVALUATED = re.compile(
    r"\b(?:evaluat\w+|consider\w+|stored?|stores|persist\w*|convert\w*|because|since|state(?:less)?|existing upgrade"
    r"|upgrade (?:path|tests?)|deferred to|planned (?:in|under))\b|\d+\.\d+",
    re.IGNORECASE,
)
_METRICS = re.compile(r"\b(?:metrics?|alerts?|dashboards?|telemetry)\b", re.IGNORECASE)
_DEFERRED = re.compile(
    r"\b(?:deferred|postponed|later|future|next (?:release|cycle)|not (?:yet )?planned)\b", re.IGNORECASE
)
_PLANNED = re.compile(
    r"\b(?:general availability|tech(?:nology)? preview|GA|TP)\b|\d+\.\d+|\bnot (?:needed|required)\b|\bbecause\b",
    re.IGNORECASE,
)
_NEW_UI = re.compile(
    r"\b(?:new|adds? an?|added|changed?) (?:ui )?(?:form|page|wizard|tab|screen|dialog|button|view)s?\b"
    r"|\bform (?:is )?planned\b",
    re.IGNORECASE,
)
_NO_UI = re.compile(r"\bno (?:new )?(?:ui|form|page|wizard|tab|screen|dialog|button|view)s?\b", re.IGNORECASE)


@rule("strategy-type-missing", Severity.HIGH)
def strategy_type_missing(subject: Subject) -> Iterator[Hit]:
    """One of the thirteen test types is absent; a merged Performance/Scale item counts for both.

    Why: a type of testing that is not named was not considered.
    Bad: no Scale Testing
    Good: `- [ ] **Scale Testing** — …` with the reason
    """
    section = subject.plan.section(Part.STRATEGY)
    if section is None:
        return
    present = {name for item in subject.plan.strategy for name in item.types}
    for name in STRATEGY_TYPES:
        if name not in present and not (subject.legacy and name == "Scale Testing"):
            yield Hit(section.line, f"no item {name}", f"add `- [ ] **{name}** — …` with a reason")


@rule("strategy-unchecked-no-details", Severity.HIGH)
def strategy_unchecked_no_details(subject: Subject) -> Iterator[Hit]:
    """An unmarked type does not say why.

    Why: an open box alone cannot be told from a forgotten one.
    Bad: `- [ ] **Cloud Testing** — cloud platforms`
    Good: with `*Details:* bare metal only` below
    """
    for item in _items(subject.plan):
        if item.box is Box.OPEN and is_empty(item.details):
            yield Hit(item.line, f"{item.written} is unmarked without details", "say why it is not tested")


@rule("strategy-checked-no-details", Severity.MEDIUM)
def strategy_checked_no_details(subject: Subject) -> Iterator[Hit]:
    """A marked type does not say what is done.

    Why: the mark promises work that nobody can find.
    Bad: `- [x] **Security Testing** — who may do what`
    Good: with `*Details:* both roles are tried` below
    """
    for item in _items(subject.plan):
        if item.box is Box.MARKED and is_empty(item.details) and not subject.legacy:
            yield Hit(item.line, f"{item.written} is marked without details", "say what is tested")


@rule("strategy-na-unjustified", Severity.HIGH)
def strategy_na_unjustified(subject: Subject) -> Iterator[Hit]:
    """The details of an unmarked type are a bare N/A, also "not applicable for this plan".

    Why: a bare N/A cannot be told from not having looked.
    Bad: `*Details:* N/A`
    Good: `*Details:* N/A — bare metal only`
    """
    for item in _items(subject.plan):
        excused = subject.child and (set(item.types) <= set(_CHILD_MAY_SKIP) or _COVERED_BY.search(item.details.flat))
        if item.box is not Box.MARKED and is_bare_na(item.details) and not excused:
            yield Hit(item.line, f"{item.written}: {item.details.flat} without a reason", "say why it does not apply")


@rule("strategy-checked-but-na", Severity.HIGH, Kind.HEURISTIC)
def strategy_checked_but_na(subject: Subject) -> Iterator[Hit]:
    """A type is marked and its details say that it does not apply.

    Why: overviews count marks, so this one promises a test that does not exist.
    Bad: `- [x] **Dependencies**` and `No dependencies`
    Good: `- [ ] **Dependencies**` and `No dependencies`
    """
    for item in _items(subject.plan):
        match = _DENIAL.match(item.details.flat)
        if item.box is Box.MARKED and match and not _STILL_TESTED.search(item.details.flat):
            yield Hit(
                item.line, f"{item.written} is marked and denied", "clear the box, keep the reason", matched=(match[0],)
            )


@rule("usability-checked-not-tested", Severity.CRITICAL, Kind.HEURISTIC)
def usability_checked_not_tested(subject: Subject) -> Iterator[Hit]:
    """Usability is marked, and the details hand it to a UI team.

    Why: the mark says that QE tests it, the text that QE does not.
    Bad: `[x]` and `tested by the UI team`
    Good: `[ ]` and `tested by the UI team under CNV-00031`
    """
    for item in _of(subject.plan, "Usability Testing"):
        match = _UI_TEAM.search(item.details.flat)
        if item.box is Box.MARKED and match and not _OWN_CHECK.search(item.details.flat):
            yield Hit(
                item.line,
                "usability is marked, another team tests it",
                "clear the box, keep the note",
                matched=(match[0],),
            )


@rule("upgrade-not-evaluated", Severity.HIGH, Kind.HEURISTIC)
def upgrade_not_evaluated(subject: Subject) -> Iterator[Hit]:
    """Upgrade is unmarked, and nothing shows that the path was considered.

    Why: upgrades break what a feature has stored.
    Bad: `Not planned`
    Good: `Nothing is stored, so an upgrade meets nothing new`
    """
    for item in _of(subject.plan, "Upgrade Testing"):
        told = not is_empty(item.details) and not is_bare_na(item.details)
        excused = subject.child and _COVERED_BY.search(item.details.flat)
        if item.box is Box.OPEN and told and not _EVALUATED.search(item.details.flat) and not excused:
            yield Hit(item.line, "the upgrade path was not evaluated", "say what an upgrade would meet")


@rule("monitoring-undecided", Severity.MEDIUM, Kind.HEURISTIC)
def monitoring_undecided(subject: Subject) -> Iterator[Hit]:
    """Monitoring does not say whether metrics or alerts are required.

    Why: a missing metric is noticed when it is needed.
    Bad: `Not relevant here`
    Good: `No new metrics or alerts`
    """
    for item in _of(subject.plan, "Monitoring"):
        told = not is_empty(item.details) and not is_bare_na(item.details)
        if (
            told
            and not _METRICS.search(item.details.flat)
            and not (subject.child and _COVERED_BY.search(item.details.flat))
        ):
            yield Hit(item.line, "nothing is said about metrics or alerts", "say whether any is required")


@rule("scale-deferred-no-plan", Severity.MEDIUM, Kind.HEURISTIC)
def scale_deferred_no_plan(subject: Subject) -> Iterator[Hit]:
    """Performance or scale is deferred without issue, named cycle or reason.

    Why: work that is deferred to nowhere is dropped.
    Bad: `Deferred`
    Good: `Deferred to GA, planned under CNV-00004`
    """
    for item in (*_of(subject.plan, "Performance Testing"), *_of(subject.plan, "Scale Testing")):
        match = _DEFERRED.search(item.details.flat)
        if match and not issue_key(item.details.flat) and not _PLANNED.search(item.details.flat):
            yield Hit(
                item.line, f"{item.written} is deferred to nowhere", "name the issue or the cycle", matched=(match[0],)
            )


@rule("ui-owner-unstated", Severity.MEDIUM, Kind.HEURISTIC)
def ui_owner_unstated(subject: Subject) -> Iterator[Hit]:
    """The plan has UI work and names neither who tests it nor an issue.

    Why: two teams each believe that the other one tests it.
    Bad: `A new form is added`
    Good: `A new form is added; tested by the UI team, CNV-00031`
    """
    texts = [(nfr.line, nfr.text.flat) for nfr in subject.plan.review.nfrs if "UI" in nfr.categories]
    texts += [(item.line, item.details.flat) for item in _of(subject.plan, "Usability Testing")]
    owned = any(_UI_TEAM.search(text) or issue_key(text) for _, text in texts)
    for line, text in texts:
        match = _NEW_UI.search(text)
        if match and not owned and not _NO_UI.search(text):
            yield Hit(line, "nobody is named who tests the UI", "name the team and its issue", matched=(match[0],))


def _items(plan: Plan) -> Iterator[StrategyItem]:
    yield from (item for item in plan.strategy if item.types and not has_placeholder(item.details))


def _of(plan: Plan, name: str) -> Iterator[StrategyItem]:
    yield from (item for item in _items(plan) if name in item.types)
