"""Non-functional requirements (I.1)."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.plan import Nfr
from utilities.stp.readers.review import categories_in
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.signing import name_and_date
from utilities.stp.values import is_bare_na, is_empty, issue_key
from utilities.stp.vocabulary import NFR_CATEGORIES, NFRS

_PARENT = re.compile(r"\bparent\b", re.IGNORECASE)
_LIVE_MIGRATION = re.compile(r"\blive[- ]migrat\w+", re.IGNORECASE)
_NOTHING_NEW = re.compile(
    r"\b(?:no|nothing)\b.{0,40}\b(?:new|scale|scaling|scalability|required|requirements?)\b", re.IGNORECASE
)
_LIMITS = re.compile(
    r"\b(?:limit\w*|parallel\w*|throttl\w*|queu\w*|concurren\w*|at once|at the same time|simultaneous\w*)\b",
    re.IGNORECASE,
)
_NO_UI = re.compile(
    r"\bno (?:new )?(?:ui|user interface|console)\b|\bnothing (?:new )?is added\b"
    r"|\bui (?:is )?(?:not|un)\s?(?:changed|affected)"
    r"|\bno changes?\b|\bdoes not change\b",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\b(?:values?|customers?|owners?|nobody|decide)\b", re.IGNORECASE)
_AGREED = re.compile(r"\b(?:pm|ux|product manager)\b.{0,20}\bagree\w*", re.IGNORECASE)
_SIGNED_HERE = re.compile(r"\b(?:agreement|sign-off|lgtm):", re.IGNORECASE)
_UI_TEAM = re.compile(r"\b(?:ui|ux|console) team\b", re.IGNORECASE)


@rule("nfr-category-missing", Severity.HIGH)
def nfr_category_missing(subject: Subject) -> Iterator[Hit]:
    """One of the seven categories is not addressed; a neighbouring category does not stand in for it.

    Why: a category that is not named was not considered.
    Bad: no Observability line
    Good: `- **Observability:** events tell success and failure, with the reason`
    """
    plan = subject.plan
    item = next((each for each in plan.review_items if each.title == NFRS.title), None)
    if item is None or is_empty(item.content):
        return
    if subject.child and _PARENT.search(item.content.flat):
        return
    named = {category for nfr in plan.review.nfrs for category in nfr.categories}
    if subject.legacy:
        named |= set(categories_in(item.content.flat))
    missing = [category for category in NFR_CATEGORIES if category not in named]
    if missing:
        yield Hit(item.line, f"not addressed: {', '.join(missing)}", "add a line for each, with a target or a reason")


@rule("nfr-unjustified", Severity.MEDIUM, Kind.HEURISTIC)
def nfr_unjustified(subject: Subject) -> Iterator[Hit]:
    """A category is answered N/A without a reason.

    Why: a bare N/A cannot be told from not having looked.
    Bad: `- **Security:** N/A`
    Good: `- **Security:** N/A — permissions do not change`
    """
    for nfr in subject.plan.review.nfrs:
        if is_bare_na(nfr.text):
            yield Hit(
                nfr.line,
                f"{'/'.join(nfr.categories)}: no reason",
                "say why it does not apply",
                matched=(nfr.text.flat,),
            )


@rule("nfr-scalability-limits-ignored", Severity.HIGH, Kind.HEURISTIC)
def nfr_scalability_limits_ignored(subject: Subject) -> Iterator[Hit]:
    """The plan relies on live migration, which is limited, and Scalability only says that nothing new is required.

    Why: migrations are limited per node and per cluster, so at scale they queue.
    Bad: `no new scale requirements`
    Good: `moves queue behind the cluster's migration limit`
    """
    plan = subject.plan
    moves = _LIVE_MIGRATION.search(plan.source.visible)
    for nfr in plan.review.nfrs:
        match = _NOTHING_NEW.search(nfr.text.flat)
        if moves and "Scalability" in nfr.categories and match and not _LIMITS.search(nfr.text.flat):
            yield Hit(
                nfr.line,
                "the limits of live migration are ignored",
                "say how moves queue behind the cluster's limits",
                matched=(moves[0], match[0]),
            )


@rule("nfr-ui-dismissed", Severity.HIGH, Kind.HEURISTIC)
def nfr_ui_dismissed(subject: Subject) -> Iterator[Hit]:
    """UI is dismissed because nothing changes in it, and neither PM nor UX agreed.

    Why: whether users need a form is decided by PM and UX, not by the lack of one.
    Bad: `no UI changes`
    Good: `no UI changes; PM agreed that a form adds no value (PM One, 2031-03-04)`
    """
    for nfr in subject.plan.review.nfrs:
        match = _NO_UI.search(nfr.text.flat)
        if "UI" in nfr.categories and match and not _ui_settled(nfr):
            yield Hit(
                nfr.line, "UI is dismissed without agreement", "have PM or UX agree: name, date", matched=(match[0],)
            )


def _ui_settled(nfr: Nfr) -> bool:
    """Agreed (an open signature is reported by its own rule), handed to a team with an issue, or justified by value."""
    flat = nfr.text.flat
    if _SIGNED_HERE.search(flat):
        return True
    if _UI_TEAM.search(flat) and issue_key(flat):
        return True
    return bool(_VALUE.search(flat) or (_AGREED.search(flat) and all(name_and_date(flat))))
