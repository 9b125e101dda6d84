"""The traceability matrix as data: requirement, scenario, tests, last verdict."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from utilities.stp.plan import Plan, Requirement, Scenario
from utilities.stp.traceability.claims import Claim
from utilities.stp.traceability.matrix.results import Results

DESIGNED, QUARANTINED, EXCLUDED, UNTESTED, NOT_RUN = "designed", "quarantined", "excluded", "untested", "not run"


@dataclass(frozen=True, slots=True)
class Cell:
    """A test of a scenario; `verdict` is of its last run, '' when no results are at hand."""

    test: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Row:
    """A scenario.  verdict: of its last run, or what stands in its place; note: why it is excluded."""

    scenario: Scenario
    tests: tuple[Cell, ...]
    verdict: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A requirement with its story and the rows of its scenarios."""

    requirement: str
    story: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A plan."""

    plan: Plan
    groups: tuple[Group, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows in order."""
        return tuple(row for group in self.groups for row in group.rows)

    @property
    def counts(self) -> dict[str, int]:
        """How many scenarios there are of each verdict, the most frequent first."""
        return dict(Counter(row.verdict for row in self.rows).most_common())


def matrix(plans: Iterable[Plan], claims: Sequence[Claim], results: Results | None = None) -> tuple[Sheet, ...]:
    """One sheet a plan, in order."""
    return tuple(
        Sheet(plan, tuple(_group(requirement, claims, results) for requirement in plan.requirements)) for plan in plans
    )


def _group(requirement: Requirement, claims: Sequence[Claim], results: Results | None) -> Group:
    rows = tuple(_row(scenario, claims, results) for scenario in requirement.scenarios)
    return Group(requirement.key or requirement.id, requirement.summary.flat, rows)


def _row(scenario: Scenario, claims: Sequence[Claim], results: Results | None) -> Row:
    mine = [claim for claim in claims if scenario.key in claim.scenario_ids]
    tests = tuple(_cell(claim, results) for claim in {claim.test_id: claim for claim in mine}.values())
    note = ""
    if scenario.exclusion is not None:
        signed = "" if scenario.exclusion.signed else ", unsigned"
        note = f"{scenario.exclusion.reason or 'no reason'}{signed}"
    return Row(scenario, tests, _verdict(scenario, mine, results), note)


def _cell(claim: Claim, results: Results | None) -> Cell:
    if not claim.implemented:
        return Cell(claim.test_id, DESIGNED)
    if claim.quarantined:
        return Cell(claim.test_id, QUARANTINED)
    if results is None:
        return Cell(claim.test_id, "")
    exact = results.tests.get(claim.test_id)
    return Cell(claim.test_id, exact or results.of_test(claim.function) or NOT_RUN)


def _verdict(scenario: Scenario, claims: Sequence[Claim], results: Results | None) -> str:
    """The run's word for it; without tests that run, what the sources say (sheet §6)."""
    if not claims:
        return EXCLUDED if scenario.exclusion is not None else UNTESTED
    if all(not claim.implemented for claim in claims):
        return DESIGNED
    if all(claim.quarantined or not claim.implemented for claim in claims):
        return QUARANTINED
    if results is None:
        return "tested"
    return results.scenarios.get(scenario.key, NOT_RUN)
