"""Risks (II.5): six categories, each a signed risk or a reasoned "none"."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.plan import Plan, Risk, RiskCategory
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.text import Text
from utilities.stp.values import has_placeholder, is_bare_na, is_empty, is_na, says_nothing
from utilities.stp.vocabulary import OTHER_RISK, RISK_FIELDS, Part

_VAGUE = re.compile(
    r"\bwe(?:'ll| will) (?:address|handle|look|see|deal)\b"
    r"|\b(?:to|will) be (?:handled|addressed|decided|defined|resolved)\b"
    r"|\bwhen it happens\b|\bas needed\b|\bcase by case\b|\bif needed\b",
    re.IGNORECASE,
)


@rule("risk-category-missing", Severity.HIGH)
def risk_category_missing(subject: Subject) -> Iterator[Hit]:
    """One of the six categories is absent; a child plan lists only its own.

    Why: a category that is not named was not considered.
    Bad: no `**Dependencies**`
    Good: `**Dependencies**` with a risk, or none and why
    """
    section = subject.plan.section(Part.RISKS)
    if section is None or subject.child:
        return
    present = {category.name for category in subject.plan.risks}
    for name in RISK_FIELDS:
        if name not in present:
            yield Hit(section.line, f"no category {name}", f"add `**{name}**` with a risk, or none and why")


@rule("risk-field-missing", Severity.HIGH)
def risk_field_missing(subject: Subject) -> Iterator[Hit]:
    """A real risk has no mitigation, or lacks the field of its category.

    Why: a risk without mitigation is a complaint.
    Bad: `- **Risk:** one lab for two teams`
    Good: with `**Mitigation:**` and the field of its category below
    """
    for category, risk in _real(subject.plan):
        unmitigated = risk.mitigation is None or says_nothing(risk.mitigation)
        if unmitigated and not _waiting(risk.mitigation):
            yield Hit(risk.line, "the risk has no mitigation", "add `**Mitigation:** …`")
        names = RISK_FIELDS.get(category.name, ())
        absent = risk.supplement is None or is_empty(risk.supplement.content)
        waiting = risk.supplement is not None and has_placeholder(risk.supplement.content)
        if names and absent and not waiting and not subject.legacy:
            yield Hit(risk.line, f"the risk lacks {names[0]!r}", f"add `*{names[0]}:* …`")


@rule("risk-no-signoff", Severity.CRITICAL)
def risk_no_signoff(subject: Subject) -> Iterator[Hit]:
    """A real risk has no sign-off line.

    Why: somebody who may decide must have taken the risk.
    Bad: a risk with its mitigation alone
    Good: with `*Sign-off:* PM One / 2031-03-04`
    """
    for _, risk in _real(subject.plan):
        if risk.sign_off is None and not subject.legacy:
            yield Hit(risk.line, "the risk has no sign-off", "add `*Sign-off:* name / date`")


@rule("no-risk-unjustified", Severity.LOW)
def no_risk_unjustified(subject: Subject) -> Iterator[Hit]:
    """A category has no risk, and neither Risk nor Mitigation says why.

    Why: none without a reason cannot be told from not having looked.
    Bad: Risk None, Mitigation N/A
    Good: Risk None, Mitigation `one owner is enough for three scenarios`
    """
    for category in subject.plan.risks:
        for risk in category.risks:
            silent = risk.mitigation is None or says_nothing(risk.mitigation)
            none = risk.text is not None and is_bare_na(risk.text)
            if category.name != OTHER_RISK and none and silent and not _waiting(risk.mitigation):
                yield Hit(risk.line, f"{category.name}: no risk, no reason", "say why there is none")


@rule("all-risks-none", Severity.MEDIUM)
def all_risks_none(subject: Subject) -> Iterator[Hit]:
    """All six categories say that there is no risk.

    Why: no project is without any risk, so this says that nobody looked.
    Bad: six times None
    Good: at least the one that kept you awake
    """
    section = subject.plan.section(Part.RISKS)
    present = {category.name for category in subject.plan.risks}
    waiting = any(_waiting(risk.text) for category in subject.plan.risks for risk in category.risks)
    none = not waiting and not any(True for _ in _real(subject.plan))
    if section is not None and present >= set(RISK_FIELDS) and none:
        yield Hit(section.line, "no risk in any category", "look again")


@rule("mitigation-vague", Severity.MEDIUM, Kind.HEURISTIC)
def mitigation_vague(subject: Subject) -> Iterator[Hit]:
    """A mitigation names no action.

    Why: it can neither be done nor be checked.
    Bad: `We will address it`
    Good: `Book both nodes for the two weeks before sign-off`
    """
    for _, risk in _real(subject.plan):
        match = _VAGUE.search(risk.mitigation.flat) if risk.mitigation else None
        if match:
            yield Hit(
                risk.mitigation_line,
                "the mitigation names no action",
                "say who does what, by when",
                matched=(match[0],),
            )


@rule("risk-other-empty", Severity.LOW)
def risk_other_empty(subject: Subject) -> Iterator[Hit]:
    """The category Other is kept without a risk.

    Why: an empty optional category is a question without an answer.
    Bad: `**Other**` and None
    Good: the category is deleted
    """
    for category in subject.plan.risks:
        if category.name == OTHER_RISK and not any(_is_real(risk) for risk in category.risks):
            yield Hit(category.line, "Other holds no risk", "delete it")


def _real(plan: Plan) -> Iterator[tuple[RiskCategory, Risk]]:
    for category in plan.risks:
        yield from ((category, risk) for risk in category.risks if _is_real(risk))


def _is_real(risk: Risk) -> bool:
    return risk.text is not None and not is_empty(risk.text) and not is_na(risk.text)


def _waiting(text: Text | None) -> bool:
    return text is not None and has_placeholder(text)
