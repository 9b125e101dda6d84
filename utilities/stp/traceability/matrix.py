"""The traceability matrix as text: requirement, scenario, tests."""

from collections.abc import Iterable, Sequence

from utilities.stp.plan import Plan
from utilities.stp.traceability.claims import Claim


def matrix(plans: Iterable[Plan], claims: Sequence[Claim]) -> str:
    """One block a plan; each scenario with its tests below, or with what stands in their place."""
    lines: list[str] = []
    for plan in plans:
        lines.append(f"{plan.title}  [{plan.path}]")
        for scenario in plan.scenarios:
            tier = f"T{scenario.tier}" if scenario.tier else "--"
            lines.append(f"  {scenario.key:<12} {tier} {scenario.priority or '--'}  {scenario.requirement}")
            tests = [claim for claim in claims if scenario.key in claim.scenario_ids]
            lines += (f"      {claim.test_id}{'' if claim.implemented else '  (designed)'}" for claim in tests)
            if scenario.exclusion is not None:
                signed = "" if scenario.exclusion.signed else ", unsigned"
                lines.append(f"      excluded: {scenario.exclusion.reason or 'no reason'}{signed}")
            elif not tests:
                lines.append("      no test")
    return "\n".join(lines)
