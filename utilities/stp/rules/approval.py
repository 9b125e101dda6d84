"""Reviewers and approvers (IV)."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.plan import Person
from utilities.stp.rule import Hit, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.vocabulary import APPROVERS, REVIEWERS

_ROLES = {
    "a QE lead": re.compile(r"\bQ[EA]\b.*\b(?:lead|architect|manager)\b", re.IGNORECASE),
    "a product manager": re.compile(r"\bPM\b|\bproduct (?:manager|owner|management)\b", re.IGNORECASE),
    "a development lead": re.compile(
        r"\bdev\w*\b.*\b(?:lead|representative|manager|architect)\b"
        r"|\b(?:principal|lead|staff) (?:software )?(?:dev\w*|engineer)\b",
        re.IGNORECASE,
    ),
}


@rule("signatories-missing", Severity.HIGH)
def signatories_missing(subject: Subject) -> Iterator[Hit]:
    """Reviewers or Approvers are absent or empty.

    Why: a plan that nobody reviewed or approved is a note.
    Bad: `* **Approvers:**` and nobody below
    Good: a name and a handle below it
    """
    approval = subject.plan.approval
    if approval is None:
        return
    for name, signatories in ((REVIEWERS, approval.reviewers), (APPROVERS, approval.approvers)):
        if signatories is None:
            yield Hit(approval.line, f"no {name}", f"add `* **{name}:**`")
        elif not signatories.listed:
            yield Hit(signatories.line, f"{name} lists nobody", "name them")


@rule("approver-role-missing", Severity.HIGH)
def approver_role_missing(subject: Subject) -> Iterator[Hit]:
    """Among the approvers is no QE lead, no product manager or no development lead.

    Why: QE, product and development each accept another part of the risk.
    Bad: QE lead and PM alone
    Good: with `  - Dev Lead: Developer One / @dev-one`
    """
    approvers = subject.plan.approval.approvers if subject.plan.approval else None
    if approvers is None or not approvers.listed:
        return
    missing = [name for name, pattern in _ROLES.items() if not any(pattern.search(role) for role in approvers.roles)]
    if missing:
        yield Hit(approvers.line, f"the approvers lack {', '.join(missing)}", "add them with their role")


@rule("signatory-no-name", Severity.HIGH)
def signatory_no_name(subject: Subject) -> Iterator[Hit]:
    """A signatory is a handle without a name, or a handle that repeats itself as name.

    Why: handles change hands; an approval belongs to a person.
    Bad: `QE Lead: @qe-one`
    Good: `QE Lead: QE One (@qe-one)`
    """
    for line, people in _lines(subject):
        if any(not person.name for person in people):
            yield Hit(line, "a handle without a name", "write Name (@handle)")


@rule("signatory-no-handle", Severity.MEDIUM)
def signatory_no_handle(subject: Subject) -> Iterator[Hit]:
    """A signatory has a name and no handle.

    Why: somebody must be reachable, and reviews are asked for by handle.
    Bad: `QE Lead: QE One`
    Good: `QE Lead: QE One (@qe-one)`
    """
    for line, people in _lines(subject):
        bare = [person.name for person in people if person.name and not person.handles]
        if bare:
            yield Hit(line, f"no handle for {', '.join(bare)}", "write Name (@handle)")


def _lines(subject: Subject) -> Iterator[tuple[int, list[Person]]]:
    approval = subject.plan.approval
    lists = (approval.reviewers, approval.approvers) if approval else ()
    people = [person for signatories in lists if signatories for person in signatories.people]
    for line in dict.fromkeys(person.line for person in people):
        yield line, [person for person in people if person.line == line]
