"""Rules about scenarios: what tests make of them.  Source: sheet §6."""

from collections.abc import Iterator
from dataclasses import dataclass

from utilities.stp.finding import Severity
from utilities.stp.plan import Plan, Scenario
from utilities.stp.rule import Hit, Kind, Rule, rule
from utilities.stp.traceability.claimed import negative_test
from utilities.stp.traceability.claims import Claim
from utilities.stp.traceability.refusals import is_negative
from utilities.stp.traceability.variants import Variants, missing_variants


@dataclass(frozen=True, slots=True)
class Planned:
    """A scenario, the claims that name it, and where its id stood before.

    partial: the claims are a selection of the tests, so one that is absent proves nothing; asked: what the scenario
    and the goals it is about list as variants.
    """

    plan: Plan
    scenario: Scenario
    claims: tuple[Claim, ...]
    taken: str | None = None
    partial: bool = False
    asked: tuple[Variants, ...] = ()


@rule("trace-scenario-untested", Severity.CRITICAL)
def scenario_untested(planned: Planned) -> Iterator[Hit]:
    """A scenario has neither a test that claims it nor an exclusion.

    Why: the plan promises what nothing will show.
    Bad: GROW-01 in the plan, no test claims it
    Good: a test claims it, or `*Not automated here:* no Windows image — CNV-00073, QE One / 2031-03-04`
    """
    if planned.scenario.exclusion is None and not planned.claims and not planned.partial:
        yield Hit(
            planned.scenario.line,
            f"{planned.scenario.key} has neither a test nor an exclusion",
            "claim it in a test, or say *Not automated here:* with reason and issue",
        )


@rule("trace-exclusion-bare", Severity.HIGH)
def exclusion_bare(planned: Planned) -> Iterator[Hit]:
    """An exclusion gives no reason.

    Why: nobody can agree to it.
    Bad: `*Not automated here:* TBD`
    Good: `*Not automated here:* no Windows image — CNV-00073, QE One / 2031-03-04`
    """
    exclusion = planned.scenario.exclusion
    if exclusion is not None and not exclusion.reason:
        yield Hit(
            planned.scenario.line,
            f"the exclusion of {planned.scenario.key} gives no reason",
            "say why it is not automated",
        )


@rule("trace-exclusion-unsigned", Severity.HIGH)
def exclusion_unsigned(planned: Planned) -> Iterator[Hit]:
    """An exclusion lacks its issue, or the name and date of who agreed: an open item for a person.

    Why: without an issue nobody comes back to it, without a name nobody has decided it.
    Bad: `*Not automated here:* no Windows image`
    Good: `*Not automated here:* no Windows image — CNV-00073, QE One / 2031-03-04`
    """
    exclusion = planned.scenario.exclusion
    if exclusion is None or not exclusion.reason:
        return
    given = {"issue": exclusion.issue, "name": exclusion.name, "date": exclusion.date}
    missing = [name for name, value in given.items() if not value]
    if missing:
        yield Hit(
            planned.scenario.line,
            f"the exclusion of {planned.scenario.key} has no {', '.join(missing)}",
            "have it agreed: reason, issue, name / date",
            open=True,
        )


@rule("trace-exclusion-stale", Severity.MEDIUM)
def exclusion_stale(planned: Planned) -> Iterator[Hit]:
    """A scenario is excluded and implemented.

    Why: approvers are asked to accept a gap that is none.
    Bad: `*Not automated here:* …` and a test that claims the scenario
    Good: the exclusion is deleted
    """
    tested = [claim for claim in planned.claims if claim.implemented]
    if planned.scenario.exclusion is not None and tested:
        yield Hit(
            planned.scenario.line,
            f"{planned.scenario.key} is excluded, yet {tested[0].function} tests it",
            "delete the exclusion",
        )


@rule(negative_test.id, negative_test.severity, negative_test.kind)
def negative_scenario(planned: Planned) -> Iterator[Hit]:
    """See the rule of the same id about tests."""
    negative = planned.claims and is_negative(planned.scenario, planned.plan)
    if negative and not any(claim.negative for claim in planned.claims):
        yield Hit(
            planned.scenario.line,
            f"{planned.scenario.key} is negative, none of its tests is [NEGATIVE]",
            "begin the test's description with [NEGATIVE]",
        )


@rule("trace-variant-uncovered", Severity.MEDIUM, Kind.HEURISTIC)
def variant_uncovered(planned: Planned) -> Iterator[Hit]:
    """A scenario or its goal lists variants, and neither parameters nor words of its tests name all of them.

    Tests whose parameters are computed are not judged.

    Why: the variant that nobody ran is the one that breaks.
    Bad: `[Tier 2] **GROW-04** — Verify growth with IPv4 and IPv6`, tested with `[ipv4]`
    Good: `@pytest.mark.parametrize("family", ["ipv4", "ipv6"])`
    """
    if planned.partial or not any(claim.implemented for claim in planned.claims):
        return
    for family in planned.asked:
        missing = missing_variants(family, planned.claims)
        if missing:
            yield Hit(
                planned.scenario.line,
                f"no test of {planned.scenario.key} covers {', '.join(missing)}",
                "add a parameter set, or drop the variant from the plan",
                matched=family.named,
            )


@rule("trace-id-duplicate", Severity.CRITICAL)
def id_duplicate(planned: Planned) -> Iterator[Hit]:
    """Two scenarios of all plans have the same id.

    Why: a test that claims it would prove both, whatever it does.
    Bad: GROW-01 in two plans
    Good: GROW-01 and SNAP-01
    """
    if planned.taken is not None and planned.scenario.id:
        yield Hit(
            planned.scenario.line,
            f"scenario id {planned.scenario.id} is taken by {planned.taken}",
            "give one of the two another id",
        )


@rule("trace-id-fallback", Severity.LOW)
def id_fallback(planned: Planned) -> Iterator[Hit]:
    """A scenario has no id and goes by its position under its requirement.

    Why: the tests that claim it claim another one as soon as scenarios move.
    Bad: `*Test Scenario:* [Tier 2] Verify that a disk grows`
    Good: `*Test Scenario:* [Tier 2] **GROW-01** — Verify that a disk grows`
    """
    if not planned.scenario.id:
        yield Hit(
            planned.scenario.line,
            f"scenario has no id and goes by {planned.scenario.key}, which changes when scenarios move",
            "write a bold id in front of its text",
        )


RULES: tuple[Rule[Planned], ...] = (
    scenario_untested,
    exclusion_bare,
    exclusion_unsigned,
    exclusion_stale,
    negative_scenario,
    variant_uncovered,
    id_duplicate,
    id_fallback,
)
