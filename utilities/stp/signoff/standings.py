"""Where each scenario of a plan stands: plan, results and tests held against each other."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from utilities.stp.plan import Plan, Scenario
from utilities.stp.signoff.approvals import Approvals
from utilities.stp.signoff.outcome import Outcome, worst
from utilities.stp.signoff.results import Attempt, Run, attempts_of, function_of, key_of
from utilities.stp.traceability import Claim

_MODULE = re.compile(r"^(?:[a-z_]\w*\.)+(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Agreed:
    """An exception that somebody accepted: a complete agreement, from the plan or from the approvals."""

    issue: str
    name: str
    date: str
    reason: str

    def __str__(self) -> str:
        return f"{self.issue}, agreed by {self.name}, {self.date}"


@dataclass(frozen=True, slots=True)
class Absent:
    """A test that claims a scenario and left no result; `why` says how that is known."""

    test: str
    outcome: Outcome
    why: str


@dataclass(frozen=True, slots=True)
class Standing:
    """A scenario, its worst outcome, all attempts, what is absent, and the agreement that makes it an exception."""

    scenario: Scenario
    outcome: Outcome
    attempts: tuple[Attempt, ...]
    absent: tuple[Absent, ...]
    agreed: Agreed | None

    @property
    def key(self) -> str:
        """The scenario's id."""
        return self.scenario.key

    @property
    def priority(self) -> str:
        """P0, P1 or P2; a scenario without priority counts as the most urgent."""
        return self.scenario.priority or "P0"

    @property
    def passed(self) -> bool:
        """Every claimed test passed with every parameter set, every time it ran."""
        return self.outcome is Outcome.PASSED

    @property
    def excepted(self) -> bool:
        """Not passed, and the gate may let it through as an exception."""
        if self.passed or self.agreed is None:
            return False
        return self.outcome is Outcome.EXCLUDED or self.priority != "P0"

    @property
    def tests(self) -> dict[str, tuple[Attempt, ...]]:
        """The attempts by test and parameter set; more than one each is a rerun."""
        found: dict[str, list[Attempt]] = {}
        for attempt in self.attempts:
            found.setdefault(attempt.test, []).append(attempt)
        return {test: tuple(attempts) for test, attempts in found.items()}

    @property
    def message(self) -> str:
        """What the worst attempt said: its first line, without the module of the error."""
        said = (each.message for each in self.attempts if each.outcome is self.outcome and each.message)
        return _MODULE.sub("", next(said, "").partition("\n")[0])


def of_plan(attempt: Attempt, plan: Plan) -> bool:
    """Whether a result belongs to the plan: it says so, or does not say which plan it belongs to."""
    return not attempt.features or plan.title in attempt.features


def standings(
    plan: Plan, runs: Sequence[Run], approvals: Approvals, claims: Iterable[Claim] = ()
) -> tuple[Standing, ...]:
    """The standing of every scenario, in the plan's order.

    claims: of the tests' source, () when it is not at hand; they tell a test that never ran, and a mere design.
    """
    attempts = [attempt for attempt in attempts_of(runs) if of_plan(attempt, plan)]
    mine: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        for name in attempt.scenarios:
            mine.setdefault(name, []).append(attempt)
    claimed: dict[str, list[Claim]] = {}
    for claim in claims:
        for name in claim.scenario_ids:
            claimed.setdefault(name, []).append(claim)
    return tuple(
        _standing(scenario, mine.get(scenario.key, []), runs, claimed.get(scenario.key, []), approvals)
        for scenario in plan.scenarios
    )


def _standing(
    scenario: Scenario, attempts: Sequence[Attempt], runs: Sequence[Run], claims: Sequence[Claim], approvals: Approvals
) -> Standing:
    listed, told = _listed(scenario.key, runs)
    ran = {attempt.function for attempt in attempts} | {function_of(absent.test) for absent in listed}
    unseen = {function_of(key_of(claim.test_id)): claim for claim in claims}
    absent = [*listed, *(_unseen(claim) for key, claim in unseen.items() if key not in ran)]
    if not attempts and scenario.exclusion is not None and not told:
        outcome = Outcome.EXCLUDED
    else:
        outcome = worst([*(attempt.outcome for attempt in attempts), *told, *(each.outcome for each in absent)])
    known = tuple(Absent(each.test, each.outcome, each.why) for each in absent)
    return Standing(scenario, outcome, tuple(attempts), known, _agreed(scenario, outcome, approvals))


def _listed(name: str, runs: Iterable[Run]) -> tuple[list[Absent], list[Outcome]]:
    """(tests of the runs' own lists without a result, verdicts in these lists that are worse than the results)."""
    absent: list[Absent] = []
    told: list[Outcome] = []
    for run in runs:
        results = _by_key(run.attempts)
        for entry in run.ledger or ():
            if name not in entry.scenarios:
                continue
            seen = results.get(entry.key)
            if seen is None:
                absent.append(Absent(entry.key, Outcome.NOT_RUN, "listed by the run, its result is missing"))
            if entry.outcome is not Outcome.PASSED and (seen is None or seen is Outcome.PASSED):
                told.append(entry.outcome)
    return absent, told


def _by_key(attempts: Iterable[Attempt]) -> Mapping[str, Outcome]:
    found: dict[str, Outcome] = {}
    for attempt in attempts:
        found[attempt.key] = worst([attempt.outcome, found.get(attempt.key, attempt.outcome)])
    return found


def _unseen(claim: Claim) -> Absent:
    if claim.implemented:
        return Absent(claim.function, Outcome.NOT_RUN, "claims the scenario, has no result")
    return Absent(claim.function, Outcome.DESIGNED, "described, not implemented")


def _agreed(scenario: Scenario, outcome: Outcome, approvals: Approvals) -> Agreed | None:
    """The plan agrees to an exclusion only; the approvals file to whatever came out."""
    exclusion = scenario.exclusion
    if outcome is Outcome.EXCLUDED and exclusion is not None and exclusion.issue and exclusion.signed:
        return Agreed(exclusion.issue, exclusion.name or "", exclusion.date or "", exclusion.reason)
    for each in approvals.agreements:
        if each.scenario == scenario.key and each.complete:
            reason = each.reason or (exclusion.reason if exclusion is not None else "")
            return Agreed(each.issue, each.name, each.date, reason)
    return None
