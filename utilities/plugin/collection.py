"""Plans and tests meet at collection: every claim names a scenario, every scenario has a claim or an exclusion."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from utilities.errors import SiteError
from utilities.stp import Plan, Scenario, StpError, load_plan
from utilities.stp.traceability import Claim, claim_docstring, trace

_FATAL = frozenset(
    {
        "trace-unknown-scenario",
        "trace-scenario-untested",
        "trace-test-unplanned",
        "trace-id-duplicate",
        "trace-exclusion-bare",
    }
)
_SEVERITY = {"P0": "blocker", "P1": "critical", "P2": "normal"}
_TIERS = ("tier1", "tier2", "tier3")


def plans_below(folder: Path) -> tuple[Plan, ...]:
    """Every plan in a `stps/` folder; raises SiteError when one cannot be read."""
    plans = []
    for path in sorted(folder.rglob("*.md")):
        if path.name != "README.md":
            try:
                plans.append(load_plan(path))
            except StpError as error:
                raise SiteError(str(error), next_step=error.next_step) from error
    return tuple(plans)


def scenarios_of(item: pytest.Item) -> tuple[str, ...]:
    """Scenario ids a collected test claims, its own first."""
    ids = [str(name) for mark in item.iter_markers("scenario") for name in mark.args]
    return tuple(dict.fromkeys(ids))


def claims_of(items: Iterable[pytest.Item], root: Path) -> tuple[Claim, ...]:
    """What the collected tests claim, one entry per parameter set."""
    claims = []
    for item in items:
        function = getattr(item, "function", None)
        docstring = claim_docstring(inspect.getdoc(function) or "", inspect.getdoc(inspect.getmodule(function)) or "")
        claims.append(
            Claim(
                test_id=item.nodeid,
                scenario_ids=scenarios_of(item),
                plan_path=docstring.plan_path,
                tiers=tuple(name for name in _TIERS if item.get_closest_marker(name)),
                negative=docstring.negative,
                implemented=True,
                path=str(item.path.relative_to(root)),
            )
        )
    return tuple(claims)


def check(items: Sequence[pytest.Item], plans: Sequence[Plan], root: Path) -> None:
    """Raise UsageError listing what does not fit between plans and tests."""
    findings = [finding for finding in trace(plans, claims_of(items, root)) if finding.id in _FATAL]
    if findings:
        lines = "\n".join(f"  {finding}" for finding in findings)
        raise pytest.UsageError(f"plans and tests do not fit together:\n{lines}")


def label(items: Iterable[pytest.Item], plans: Sequence[Plan]) -> None:
    """Give every test the tier and severity of its scenarios, so that neither can drift from the plan."""
    known = {scenario.id: (plan, scenario) for plan in plans for scenario in plan.scenarios}
    for item in items:
        claimed = [known[name] for name in scenarios_of(item) if name in known]
        if claimed:
            _label(item, claimed)


def _label(item: pytest.Item, claimed: Sequence[tuple[Plan, Scenario]]) -> None:
    plan, first = claimed[0]
    priority = min((scenario.priority or "P2" for _, scenario in claimed), default="P2")
    item.add_marker(getattr(pytest.mark, f"tier{first.tier or 2}"))
    item.add_marker(pytest.mark.allure_label(_SEVERITY[priority], label_type="severity"))
    item.add_marker(pytest.mark.allure_label(first.requirement, label_type="epic"))
    item.add_marker(pytest.mark.allure_label(plan.title, label_type="feature"))
    for _, scenario in claimed:
        item.add_marker(pytest.mark.allure_label(scenario.id, label_type="story"))
        item.add_marker(pytest.mark.allure_label(f"tier{scenario.tier or 2}", label_type="tag"))
