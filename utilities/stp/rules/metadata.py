"""The metadata list: fields, links, maturity, owners, terms."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.plan import Field
from utilities.stp.readers.approval import read_people
from utilities.stp.rule import Hit, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.values import ISSUE_KEY, URL, has_placeholder, is_na, issue_key, says_nothing
from utilities.stp.vocabulary import CHILD_METADATA_FIELDS, METADATA_FIELDS, words

_TRACKER = re.compile(r"/browse/|/issues?/|/pull/|/merge_requests/", re.IGNORECASE)
_DESIGN = re.compile(r"enhancement|proposal|design|veps?/", re.IGNORECASE)
_VERSION = re.compile(r"v?\d+\.\d+(?:\.\d+)?(?![\d.]*\d)")
_PHASES = ("DP", "TP", "GA")
_STANDARD_TERMS = frozenset(
    re.findall(r"\w+", "vm vmi pvc pv dv cdi ocp cnv hco cr crd api rbac ui cli sno qe stp sig")
)
_EXPLANATION = 3
"""Words beside a tracker link that make an explanation."""


@rule("metadata-field-missing", Severity.HIGH)
def metadata_field_missing(subject: Subject) -> Iterator[Hit]:
    """A field of the metadata list is absent; older names of it count.

    Why: release lists and reports are built from these fields.
    Bad: no Participating SIGs
    Good: `- **Participating SIGs:** sig-virt`, even if it is the owner
    """
    metadata = subject.plan.metadata
    if metadata is None:
        return
    present = {field.name for field in metadata.fields}
    if subject.child and "Owning SIG" in present:
        present.add("SIG")
    for name in CHILD_METADATA_FIELDS if subject.child else METADATA_FIELDS:
        excused = subject.legacy and name == "Feature Maturity"
        if name not in present and not excused:
            yield Hit(metadata.line, f"no field {name}", f"add `- **{name}:** …`")


@rule("metadata-field-empty", Severity.HIGH)
def metadata_field_empty(subject: Subject) -> Iterator[Hit]:
    """A field says nothing, or N/A without a reason.

    Why: an empty field cannot be told from a forgotten one.
    Bad: `- **Enhancement(s):** -`
    Good: `- **Enhancement(s):** N/A - tracked under the epic`
    """
    metadata = subject.plan.metadata
    for field in metadata.fields if metadata else ():
        if field.name in (*METADATA_FIELDS, "SIG") and says_nothing(field.content) and not _waiting(field):
            yield Hit(field.line, f"{field.label} says nothing", "fill it, or say why there is nothing")


@rule("enhancement-not-design", Severity.LOW)
def enhancement_not_design(subject: Subject) -> Iterator[Hit]:
    """Enhancement(s) holds only tracker issues or code changes, and does not say why there is no design.

    Why: reviewers need the design, and a tracker issue describes none.
    Bad: `[CNV-00008](…)`
    Good: `[CNV-00008](…) — no design document, change of a default`
    """
    metadata = subject.plan.metadata
    field = metadata.field("Enhancement(s)") if metadata else None
    if field is None or _waiting(field) or says_nothing(field.content) or is_na(field.content):
        return
    addresses = [href for _, href in field.content.links] + URL.findall(field.content.plain)
    if any(_DESIGN.search(address) or not _TRACKER.search(address) for address in addresses):
        return
    shown = field.content.flat
    for text, _ in field.content.links:
        shown = shown.replace(text, " ", 1)
    rest = ISSUE_KEY.sub(" ", URL.sub(" ", shown))
    if (addresses or issue_key(field.content.flat)) and len(words(rest).split()) < _EXPLANATION:
        yield Hit(
            field.line, "Enhancement(s) names only tracker issues", "link the design document, or say why there is none"
        )


@rule("tracking-no-link", Severity.MEDIUM)
def tracking_no_link(subject: Subject) -> Iterator[Hit]:
    """Feature or Epic Tracking holds neither a URL nor an issue key.

    Why: without key or link nobody can follow the work.
    Bad: `- **Epic Tracking:** see roadmap`
    Good: `- **Epic Tracking:** CNV-00122`
    """
    metadata = subject.plan.metadata
    for name in ("Feature Tracking", "Epic Tracking"):
        field = metadata.field(name) if metadata else None
        if field is None or _waiting(field) or says_nothing(field.content) or is_na(field.content):
            continue
        if not (field.content.links or URL.search(field.content.plain) or issue_key(field.content.flat)):
            yield Hit(field.line, f"{field.label} names no issue", "write the issue key or its URL")


@rule("maturity-format", Severity.MEDIUM)
def maturity_format(subject: Subject) -> Iterator[Hit]:
    """Feature Maturity lists DP, TP and GA (or GA alone), each with N/A or a version such as 5.1.

    Why: the phase and its release decide which gate the sign-off applies.
    Bad: `- GA: soon`
    Good: `- GA: 5.1`
    """
    metadata = subject.plan.metadata
    field = metadata.field("Feature Maturity") if metadata else None
    if metadata is None or field is None or subject.legacy:
        return
    if words(field.label) != "feature maturity":
        yield Hit(
            field.line, f"the field is called {field.label}", "call it Feature Maturity, with DP, TP and GA below"
        )
        return
    if _waiting(field) and not metadata.phases:
        return
    named = {phase.name for phase in metadata.phases}
    missing = [name for name in _PHASES if name not in named]
    if missing and named != {"GA"}:
        yield Hit(field.line, f"no line for {', '.join(missing)}", "list DP, TP and GA, N/A where there is none")
    for phase in metadata.phases:
        good = is_na(phase.version) or _VERSION.match(phase.version.flat)
        if not good and not has_placeholder(phase.version):
            yield Hit(phase.line, f"{phase.name} is {phase.version.flat!r}", "write N/A or a version such as 5.1")


@rule("qe-owner-no-contact", Severity.MEDIUM)
def qe_owner_no_contact(subject: Subject) -> Iterator[Hit]:
    """A QE owner has neither handle nor mail.

    Why: somebody must be reachable with questions.
    Bad: `Owner Five`
    Good: `Owner Five (@owner-five)`
    """
    metadata = subject.plan.metadata
    field = metadata.field("QE Owner(s)") if metadata else None
    if field is None or _waiting(field) or says_nothing(field.content):
        return
    lines = [field.value, *(item.text for item in field.items)]
    people = [person for line in lines if line for person in read_people(line)[1]]
    bare = [person.name for person in people if not person.handles and not person.mail]
    if bare:
        yield Hit(field.line, f"no handle or mail for {', '.join(bare)}", "write Name (@handle)")


@rule("standard-term-defined", Severity.LOW)
def standard_term_defined(subject: Subject) -> Iterator[Hit]:
    """The conventions define a term that every reader knows.

    Why: terms that everybody knows bury the few that have to be learned.
    Bad: `- **PVC:** a claim for storage`
    Good: `- **stuntime:** the gap that a client sees`
    """
    metadata = subject.plan.metadata
    for term in metadata.terms if metadata else ():
        if words(term.name) in _STANDARD_TERMS:
            yield Hit(term.line, f"{term.name} needs no definition", "delete it")


def _waiting(field: Field) -> bool:
    return has_placeholder(field.content)
