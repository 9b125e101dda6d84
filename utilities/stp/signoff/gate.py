"""The gate: a dossier to a verdict.  Pure.  Source: sheet §7.

It says yes only to what was shown: every doubt is a reason against.  Adding a failure, or taking away a result or an
approval, never makes a verdict better.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from utilities.stp.finding import Severity
from utilities.stp.signoff import constraints, names
from utilities.stp.signoff.approvals import Decision
from utilities.stp.signoff.dossier import Dossier, Phase
from utilities.stp.signoff.outcome import Outcome
from utilities.stp.signoff.products import missing_versions
from utilities.stp.signoff.proofs import Kind, State
from utilities.stp.signoff.results import Run
from utilities.stp.values import is_empty, is_na

_SHOWN = 12
"""Names listed in one reason; the rest is counted."""
_ABOUT_SIGNATURES = frozenset(
    ("signoff-placeholder", "limitation-no-signoff", "out-of-scope-no-agreement", "risk-no-signoff")
)
"""Lint rules that look at what `constraints` looks at, without knowing the approvals."""


class Readiness(StrEnum):
    """The verdict in a word."""

    READY = "ready"
    EXCEPTIONS = "ready with exceptions"
    NOT_READY = "not ready"


class Weight(IntEnum):
    """What a reason is about, the heaviest first: results that cannot be relied on outweigh what they say."""

    RESULTS = 1
    REVISION = 2
    MIXED = 3
    LAB = 4
    P0 = 5
    REJECTED = 6
    CRITERION = 7
    P1 = 8
    UNSIGNED = 9
    VERSIONS = 10
    FINDING = 11
    AUTOMATION = 12


@dataclass(frozen=True, slots=True)
class Reason:
    """Why it is not ready, and what to do about it."""

    weight: Weight
    what: str
    todo: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """reasons: why not ready; exceptions: what was let through, with who agreed; lab_only: signs off no release."""

    readiness: Readiness
    phase: Phase
    lab_only: bool
    reasons: tuple[Reason, ...]
    exceptions: tuple[str, ...]

    @property
    def line(self) -> str:
        """The verdict in one line."""
        lab = " — lab only, this signs off no release" if self.lab_only else ""
        return f"{self.readiness.capitalize()} for {self.phase.words} ({self.phase}){lab}"


def judge(dossier: Dossier) -> Verdict:
    """The verdict, with its reasons in order of weight."""
    reasons = tuple(sorted((reason for check in _CHECKS for reason in check(dossier)), key=lambda each: each.weight))
    exceptions = tuple(
        f"{each.priority} {each.key} {each.outcome}: {each.agreed}"
        for each in dossier.standings
        if each.excepted and each.priority != "P2"
    )
    readiness = Readiness.NOT_READY if reasons else Readiness.EXCEPTIONS if exceptions else Readiness.READY
    lab_only = dossier.allow_lab and bool(dossier.lab_runs)
    return Verdict(readiness, dossier.phase, lab_only, reasons, exceptions)


def _results(dossier: Dossier) -> Iterator[Reason]:
    """Results are there, whole, and as the run left them."""
    again = "run the plan again and sign off what that run leaves"
    if not dossier.plan.scenarios:
        yield Reason(Weight.RESULTS, "The plan has no scenario", "add scenarios to Section III")
    if not dossier.runs:
        yield Reason(Weight.RESULTS, "There are no results: nothing was tested", again)
    for run in dossier.runs:
        if not run.attempts:
            yield Reason(Weight.RESULTS, f"{run.folder}: no results, nothing was tested", again)
        elif not any(attempt.outcome is Outcome.PASSED for attempt in run.attempts):
            yield Reason(Weight.RESULTS, f"{run.folder}: not one test passed", again)
        yield from (Reason(Weight.RESULTS, what, again) for what in (*run.troubles, *_altered(run)))


def _parts(dossier: Dossier) -> Iterator[Reason]:
    """Of a run in parts every part is here."""
    here: dict[int, set[int]] = {}
    for run in dossier.runs:
        said, _, of = run.facts.get(names.SHARD).partition("/")
        if said.isdecimal() and of.isdecimal():
            here.setdefault(int(of), set()).add(int(said))
    for count, indexes in here.items():
        missing = [f"{index}/{count}" for index in range(count) if index not in indexes]
        if missing:
            todo = "add their folders to --results, or run them (pytest --shard INDEX/COUNT)"
            yield Reason(Weight.RESULTS, f"Parts of the run are missing: {_listed(missing)}", todo)


def _altered(run: Run) -> Iterator[str]:
    """Where the results differ from the run's own list of what ran."""
    if run.ledger is None:
        return
    results = {attempt.key for attempt in run.attempts}
    listed = {entry.key for entry in run.ledger}
    missing = [entry.test for entry in run.ledger if entry.key not in results]
    added = [attempt.test for attempt in run.attempts if attempt.key not in listed]
    failed = {attempt.key for attempt in run.attempts if attempt.outcome is not Outcome.PASSED}
    better = [
        entry.test
        for entry in run.ledger
        if entry.outcome is not Outcome.PASSED and entry.key in results and entry.key not in failed
    ]
    if missing:
        yield f"{run.folder}: results are missing that the run lists: {_listed(missing)}"
    if added:
        yield f"{run.folder}: results are there that the run does not list: {_listed(dict.fromkeys(added))}"
    if better:
        yield f"{run.folder}: passed according to the results, not according to the run: {_listed(better)}"


def _revision(dossier: Dossier) -> Iterator[Reason]:
    """Every run was made with the plan as it is now."""
    again = "run again with this plan, or sign off with the plan as it was"
    for run in dossier.runs:
        recorded = run.facts.revision_of(dossier.plan.path)
        if recorded is None:
            yield Reason(Weight.REVISION, f"{run.folder}: does not say which revision of the plan it ran", again)
        elif not dossier.revision.startswith(recorded):
            what = f"{run.folder}: ran another revision of the plan: {recorded[:12]}, now {dossier.revision[:12]}"
            yield Reason(Weight.REVISION, what, again)


def _phase(dossier: Dossier) -> Iterator[Reason]:
    """The plan gives the phase a version; plans of the old template give none to any."""
    phases = {phase.name: phase.version for phase in (dossier.plan.metadata.phases if dossier.plan.metadata else ())}
    version = phases.get(dossier.phase.value)
    if phases and (version is None or is_na(version) or is_empty(version)):
        what = f"The plan gives no version for {dossier.phase.words} ({dossier.phase})"
        yield Reason(Weight.REVISION, what, "sign off a phase that the plan covers, or bring the plan up to date")


def _mixed(dossier: Dossier) -> Iterator[Reason]:
    """No result claims a scenario that the plan does not have, and none of another plan claims one of its own."""
    known = {scenario.key for scenario in dossier.plan.scenarios}
    strangers = [attempt for attempt in dossier.others if known.intersection(attempt.scenarios)]
    titles = dict.fromkeys(title for attempt in strangers for title in attempt.features)
    if titles:
        what = f"Results of other plans claim this plan's scenarios ({len(strangers)}): {_listed(titles)}"
        yield Reason(Weight.MIXED, what, "give each plan ids of its own, and run again")
    mine = (attempt for attempt in dossier.attempts if not set(attempt.features) - {dossier.plan.title})
    unknown = dict.fromkeys(name for attempt in mine for name in attempt.scenarios if name not in known)
    if unknown:
        what = f"Results are there for scenarios that the plan does not have: {_listed(unknown)}"
        yield Reason(Weight.MIXED, what, "a scenario was renamed or dropped: bring plan and tests together, run again")


def _lab(dossier: Dossier) -> Iterator[Reason]:
    """The lab proves the suite, never the product."""
    for run in dossier.runs:
        if run.facts.on_lab is None:
            yield Reason(Weight.LAB, f"{run.folder}: does not say what it ran on", "run with a suite that records it")
        elif run.facts.on_lab and not dossier.allow_lab:
            what = f"{run.folder}: results of the embedded lab never sign off a release by themselves"
            yield Reason(Weight.LAB, what, "run on a cluster, or ask for a lab-only verdict (--allow-lab)")


def _scenarios(dossier: Dossier) -> Iterator[Reason]:
    """P0 passed or excluded by agreement, P1 passed or agreed; P2 is listed and never counts."""
    for priority, weight in (("P0", Weight.P0), ("P1", Weight.P1)):
        open_ones: dict[Outcome, list[str]] = {}
        for standing in dossier.standings:
            if standing.priority == priority and not standing.passed and not standing.excepted:
                open_ones.setdefault(standing.outcome, []).append(standing.key)
        for outcome in sorted(open_ones, key=lambda each: -each.rank):
            keys = open_ones[outcome]
            unagreed = " without agreement" if priority == "P1" or outcome is Outcome.EXCLUDED else ""
            todo = "make it pass" if priority == "P0" else "make it pass, or have it agreed: issue, name, date"
            yield Reason(weight, f"{priority} {outcome}{unagreed}: {_listed(keys)}", todo)


def _rejected(dossier: Dossier) -> Iterator[Reason]:
    for each in dossier.approvals.approvals:
        if each.signed and each.decision is Decision.REJECTED:
            yield Reason(Weight.REJECTED, f"Rejected by {each.name} ({each.role}), {each.date}", "settle the objection")


def _criteria(dossier: Dossier) -> Iterator[Reason]:
    for proof in dossier.proofs:
        if proof.kind is Kind.CRITERION and proof.state is State.UNPROVEN:
            by = f"nothing of {', '.join(proof.scenarios)} passed" if proof.scenarios else "no scenario proves it"
            what = f"Acceptance criterion {proof.label} is unproven: {by}"
            yield Reason(Weight.CRITERION, what, f"see line {proof.line} of the plan")


def _unsigned(dossier: Dossier) -> Iterator[Reason]:
    kinds: dict[constraints.Kind, list[int]] = {}
    for constraint in dossier.constraints:
        if not constraint.signed:
            kinds.setdefault(constraint.kind, []).append(constraint.line)
    for kind, lines in kinds.items():
        where = f"line{'s' if len(lines) != 1 else ''} {_listed(str(line) for line in lines)}"
        what = f"Unsigned {kind.many}: {len(lines)} ({where} of the plan)"
        yield Reason(Weight.UNSIGNED, what, "have each signed: name / date")


def _versions(dossier: Dossier) -> Iterator[Reason]:
    for run in dossier.runs:
        missing = missing_versions(dossier.plan, run.facts)
        if missing:
            what = f"{run.folder}: no version of {' and of '.join(missing)} recorded"
            yield Reason(Weight.VERSIONS, what, "run with a suite that records the versions")


def _findings(dossier: Dossier) -> Iterator[Reason]:
    """Open CRITICAL findings, except about signatures that `_unsigned` judges."""
    judged = {line for each in dossier.constraints for line in each.lines}
    for finding in dossier.findings:
        told = finding.id in _ABOUT_SIGNATURES and finding.line in judged
        if finding.severity is Severity.CRITICAL and not told:
            what = f"Open CRITICAL finding {finding.id}, line {finding.line}: {finding.what}"
            yield Reason(Weight.FINDING, what, finding.todo)


def _automation(dossier: Dossier) -> Iterator[Reason]:
    if dossier.phase is Phase.GA and not dossier.approvals.automation.merged:
        todo = "give the merged change in the approvals file (automation.merged)"
        yield Reason(Weight.AUTOMATION, "General Availability needs merged automation", todo)


_CHECKS: tuple[Callable[[Dossier], Iterator[Reason]], ...] = (
    _results,
    _parts,
    _revision,
    _phase,
    _mixed,
    _lab,
    _scenarios,
    _rejected,
    _criteria,
    _unsigned,
    _versions,
    _findings,
    _automation,
)


def _listed(names: Iterable[str]) -> str:
    """The names, the first dozen of them."""
    everything = list(names)
    rest = f" and {len(everything) - _SHOWN} more" if len(everything) > _SHOWN else ""
    return ", ".join(everything[:_SHOWN]) + rest
