"""Overview, phases and versions, and the words that do not belong into what a reader of the plan must understand."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.plan import Plan
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.text import Text
from utilities.stp.values import has_placeholder, sentences
from utilities.stp.versions import OPEN_ENDED, minor, phase_versions, virtualization_version
from utilities.stp.vocabulary import Part

_SHORTEST, _LONGEST = 2, 8
_PHASE_WORD = re.compile(
    r"\b(?:dev(?:eloper)?[ -]preview|tech(?:nology)?[ -]preview|general(?:ly)?[ -]availab\w+|DP|TP|GA)\b", re.IGNORECASE
)
_VERSION = re.compile(r"v?\d+\.\d+")
_COMPONENT = re.compile(
    r"\b(?:DataVolumes?|\w+Controllers?|virt-(?:launcher|handler|controller|api|operator)|CRDs?|CRs?)\b"
    r"|\b(?:reconcil\w+|webhooks?|bitmaps?)\b"
)
_FIELD_PATH = re.compile(r"\b(?:spec|status|metadata)(?:\.\w+)+|^[a-z]\w*(?:\.\w+)+$")
_NOTE = "Note:"


@rule("overview-length", Severity.MEDIUM)
def overview_length(subject: Subject) -> Iterator[Hit]:
    """The overview has fewer than two or more than eight sentences; notes do not count.

    Why: one line explains nothing, and a page is not read.
    Bad: `Adds disk growth.`
    Good: what it is, why it matters, and which phase the plan covers
    """
    section = subject.plan.section(Part.OVERVIEW)
    overview = subject.plan.overview
    if section is None or has_placeholder(overview):
        return
    count = sum(not sentence.startswith(_NOTE) for sentence in sentences(overview))
    if not _SHORTEST <= count <= _LONGEST:
        yield Hit(
            section.line, f"the overview has {count} sentences", "say in two to eight what it is, why, and which phase"
        )


@rule("maturity-phase-unstated", Severity.MEDIUM, Kind.HEURISTIC)
def maturity_phase_unstated(subject: Subject) -> Iterator[Hit]:
    """Two or more phases have a version and the overview does not say which one this plan covers.

    Why: preview and general availability are judged by different rules.
    Bad: DP 4.29 and TP 4.30, the overview names neither
    Good: `This plan covers the Tech Preview phase (4.30).`
    """
    plan = subject.plan
    section = plan.section(Part.OVERVIEW)
    if section is None or plan.metadata is None or subject.child:
        return
    planned = [phase.name for phase in plan.metadata.phases if _VERSION.match(phase.version.flat)]
    if len(planned) > 1 and not _PHASE_WORD.search(plan.overview.flat):
        yield Hit(section.line, f"the overview names none of {', '.join(planned)}", "say which phase this plan covers")


@rule("version-contradiction", Severity.CRITICAL, Kind.HEURISTIC)
def version_contradiction(subject: Subject) -> Iterator[Hit]:
    """Overview or test environment give a phase or product another release than Feature Maturity does.

    Why: tests would run on a release that the feature does not ship in.
    Bad: overview: preview in 4.30; II.3: 4.31
    Good: both say 4.30
    """
    plan = subject.plan
    phases = {phase.name: phase.version.flat for phase in plan.metadata.phases} if plan.metadata else {}
    releases = {name: minor(text) for name, text in phases.items() if _VERSION.match(text)}
    if not releases:
        return
    section = plan.section(Part.OVERVIEW)
    for name, version in phase_versions(plan.overview.flat):
        if section is not None and name in releases and minor(version) != releases[name]:
            yield Hit(
                section.line,
                f"overview: {name} in {version}, metadata: {phases[name]}",
                "make both equal",
                matched=(name, version),
            )
    for field in plan.environment:
        version = virtualization_version(field.content.flat) or ""
        stated = _VERSION.match(version) is not None and not OPEN_ENDED.search(field.content.flat)
        if stated and minor(version) not in releases.values():
            yield Hit(
                field.line,
                f"environment: OpenShift Virtualization {version}, metadata: {', '.join(phases.values())}",
                "test on the release that the phase ships in",
                matched=(version,),
            )


@rule("implementation-term", Severity.MEDIUM, Kind.HEURISTIC)
def implementation_term(subject: Subject) -> Iterator[Hit]:
    """Overview, use cases, criteria, goals and scenarios name kinds, components or field paths.

    Why: a plan is about what users see; internals change without notice and tell an approver nothing.
    Bad: Verify that `spec.x` reaches the CR
    Good: Verify that the owner's setting takes effect
    """
    plan = subject.plan
    known = {term.name.lower() for term in plan.metadata.terms} if plan.metadata else set()
    known |= set(plan.title.lower().split())
    for line, text in _readable(plan):
        found = [word for word in _terms(text) if word.lower() not in known]
        if found:
            yield Hit(line, "speaks of the implementation", "say what a user sees", matched=tuple(dict.fromkeys(found)))


def _terms(text: Text) -> Iterator[str]:
    yield from (match[0] for match in _COMPONENT.finditer(text.flat))
    for span in text.spans:
        if span.code:
            yield from (match[0] for match in _FIELD_PATH.finditer(span.text.strip()))


def _readable(plan: Plan) -> Iterator[tuple[int, Text]]:
    section = plan.section(Part.OVERVIEW)
    if section is not None and plan.overview:
        yield section.line, plan.overview
    for statement in (*plan.review.use_cases, *plan.review.criteria):
        yield statement.line, statement.text
    for goal in plan.scope.goals if plan.scope else ():
        yield goal.line, goal.text
    for requirement in plan.requirements:
        yield requirement.line, requirement.summary
        for scenario in requirement.scenarios:
            yield scenario.line, scenario.wording
