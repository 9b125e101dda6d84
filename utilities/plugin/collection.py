"""Plans and tests meet at collection: every claim names a scenario, every scenario has a claim or an exclusion."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from utilities.errors import PlanError
from utilities.stp import Plan, StpError, find_plans, load_plan
from utilities.stp.traceability import Claim, claim_docstring, collection_errors

_TIERS = ("tier1", "tier2", "tier3")


def plans_below(folder: Path) -> tuple[Plan, ...]:
    """Every plan in a `stps/` folder; raises PlanError when one cannot be read."""
    try:
        return tuple(load_plan(path) for path in find_plans(folder))
    except StpError as error:
        raise PlanError(str(error), next_step=error.next_step) from error


def scenarios_of(item: pytest.Item) -> tuple[str, ...]:
    """Scenario ids a collected test claims, its own first."""
    ids = [str(name) for mark in item.iter_markers("scenario") for name in mark.args]
    return tuple(dict.fromkeys(ids))


@dataclass(frozen=True, slots=True)
class Placed:
    """A collected test, for those who ask where it stands and what it proves."""

    item: pytest.Item

    @property
    def module(self) -> str:
        """Its file."""
        return str(self.item.path)

    @property
    def scenarios(self) -> tuple[str, ...]:
        """Ids of what it proves."""
        return scenarios_of(self.item)


def claim_of(item: pytest.Item, root: Path) -> Claim:
    """What one collected test (one parameter set) claims."""
    function, owner = getattr(item, "function", None), getattr(item, "cls", None)
    docstrings = (inspect.getdoc(function), owner and owner.__doc__, getattr(item, "module", None).__doc__)
    description = claim_docstring(*(text or "" for text in docstrings))
    return Claim(
        test_id=item.nodeid,
        scenario_ids=scenarios_of(item),
        plan_path=description.plan_path,
        tiers=tuple(name for name in _TIERS if item.get_closest_marker(name)),
        negative=description.negative,
        description=description.text,
        path=str(item.path.relative_to(root)),
        line=(item.location[1] or 0) + 1,
    )


def check(items: Sequence[pytest.Item], plans: Sequence[Plan], root: Path) -> None:
    """Raise PlanError listing what does not fit between plans, the tests in `tests/` and these collected ones."""
    tests = root / "tests"
    claims = [claim_of(item, root) for item in items if tests in item.path.parents]
    try:
        findings = collection_errors(plans, claims, [tests], root)
    except StpError as error:
        raise PlanError(str(error), next_step=error.next_step) from error
    if findings:
        lines = "".join(f"\n  {finding}" for finding in findings)
        raise PlanError(
            f"plans and tests do not fit together:{lines}", next_step="see docs/add-a-scenario.md, then run again"
        )
