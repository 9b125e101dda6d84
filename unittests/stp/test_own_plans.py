"""The plans of this repository: lint-clean apart from unsigned items, and in step with the tests."""

from pathlib import Path

from utilities.stp import find_plans, load_plan
from utilities.stp.linting import lint, subject_of
from utilities.stp.traceability.checking import check

ROOT = Path(__file__).parents[2]
PLANS = tuple(load_plan(path) for path in find_plans(ROOT / "stps"))


def test_plans_are_lint_clean_apart_from_unsigned_items():
    found = [finding for plan in PLANS for finding in lint(subject_of(plan))]

    assert [str(finding) for finding in found if not finding.open] == []


def test_plans_tests_and_their_descriptions_agree():
    checked = check(PLANS, [ROOT / "tests"], ROOT)

    assert [str(finding) for finding in checked.findings if not finding.open] == []
    assert checked.silenced == ()


def test_every_open_item_of_the_vgpu_plan_is_an_unsigned_one():
    (plan,) = [plan for plan in PLANS if plan.path.name == "mdev-vgpu-live-migration.md"]

    assert [scenario.id for scenario in plan.scenarios if scenario.exclusion] == ["VGPU-32", "VGPU-33"]
    assert all(sign_off.open for sign_off in plan.sign_offs)
    assert plan.approval.reviewers.people == plan.approval.approvers.people == ()
