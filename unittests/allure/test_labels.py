"""Labels and links come from the plan, whatever the test says."""

from pathlib import Path

import allure
import pytest
from allure_pytest.utils import allure_labels, allure_links, pytest_markers

from utilities.plugin.labels import SEVERITIES, label, markdown_of, tracker_of
from utilities.stp import load_plan

pytest_plugins = ("pytester",)

PLAN = """# Openshift-virtualization-tests Test plan

## **Growing disks - Quality Engineering Plan**

### **Metadata & Tracking**

- **Feature Tracking:** [CNV-00001](https://issues.example.com/browse/CNV-00001)
- **Epic Tracking:** {epic}

### **III. Test Scenarios & Traceability**

- **[CNV-00005]** — As a VM owner, I want larger disks so that I can store more.
  - *Test Scenario:* [Tier 2] **GROW-01** — Verify that a disk grows
  - *Priority:* P1

  - *Test Scenario:* [Tier 3] **GROW-02** — Verify that a disk of a Windows guest grows
  - *Priority:* P0
"""
MARKS = {
    "one": '@pytest.mark.scenario("GROW-01")',
    "both": '@pytest.mark.scenario("GROW-01", "GROW-02")',
    "drifted": '@pytest.mark.scenario("GROW-01")\n@allure.severity(allure.severity_level.TRIVIAL)',
    "quarantined": '@pytest.mark.scenario("GROW-01")\n'
    '@pytest.mark.xfail(reason="quarantined: hangs, CNV-00071", run=False)',
    "defect": '@pytest.mark.scenario("GROW-01")\n@pytest.mark.jira("CNV-00070", run=False)',
    "helper": "",
}


@pytest.fixture
def plan(tmp_path):
    """The plan, as a file in a folder of plans."""

    def written(epic="[CNV-00002](https://issues.example.com/browse/CNV-00002)"):
        path = tmp_path / "stps/sig-storage/growth.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PLAN.format(epic=epic))
        return load_plan(path)

    return written


@pytest.fixture
def labelled(pytester, plan, tmp_path):
    """A collected test with those marks, after it was labelled."""
    pytester.makeini("[pytest]\nmarkers =\n    scenario: as ours\n    jira: as the plugin pytest-jira's\n")

    def one(marks, plans=None, **patterns):
        source = f'import allure, pytest\n{marks}\ndef test_growth():\n    """\n    Test that it grows.\n    """\n'
        item = pytester.getitem(source, "test_growth")
        label([item], plans or [plan()], tmp_path, patterns)
        return item

    return one


def of(item, kind):
    return sorted(value for name, value in allure_labels(item) if name == kind)


def test_a_test_is_filed_below_epic_plan_and_scenario(labelled):
    item = labelled(MARKS["one"])
    assert [of(item, kind) for kind in ("epic", "feature", "story", "severity")] == [
        ["CNV-00002"], ["Growing disks"], ["GROW-01"], ["critical"],
    ]  # fmt: skip
    assert [name for name in pytest_markers(item) if name.startswith("tier")] == ["tier2"]


def test_the_highest_priority_of_several_scenarios_counts_and_each_has_its_story(labelled):
    item = labelled(MARKS["both"])
    assert (of(item, "severity"), of(item, "story")) == (["blocker"], ["GROW-01", "GROW-02"])
    assert {name for name in pytest_markers(item) if name.startswith("tier")} == {"tier2", "tier3"}
    assert [url for kind, url, _ in allure_links(item) if kind == "tms"] == [
        "stps/sig-storage/growth.md#GROW-01", "stps/sig-storage/growth.md#GROW-02",
    ]  # fmt: skip


def test_the_plan_overrules_a_severity_written_by_hand(labelled):
    assert of(labelled(MARKS["drifted"]), "severity") == ["critical"]


def test_without_an_epic_the_requirement_stands_for_it(labelled, plan):
    assert of(labelled(MARKS["one"], [plan("[Link to epic]")]), "epic") == ["CNV-00005"]


def test_scenarios_are_linked_in_their_plan(labelled):
    assert list(allure_links(labelled(MARKS["one"], tms="https://git.example.com/plans/{}"))) == [
        (
            "tms",
            "https://git.example.com/plans/stps/sig-storage/growth.md#GROW-01",
            "GROW-01 in stps/sig-storage/growth.md",
        )
    ]


@pytest.mark.parametrize(("mark", "key"), [("quarantined", "CNV-00071"), ("defect", "CNV-00070")])
def test_defects_are_linked_in_the_tracker_of_the_plan(labelled, mark, key):
    item = labelled(MARKS[mark])
    assert ("issue", f"https://issues.example.com/browse/{key}", key) in list(allure_links(item))


def test_a_tracker_can_be_given(labelled):
    item = labelled(MARKS["defect"], issue="https://other.example.com/{}")
    assert ("issue", "https://other.example.com/CNV-00070", "CNV-00070") in list(allure_links(item))


def test_a_test_without_scenario_is_left_alone(labelled):
    item = labelled(MARKS["helper"])
    assert (list(allure_labels(item)), list(allure_links(item))) == ([], [])


def test_descriptions_are_markdown():
    written = (
        "Test that it grows.\n\nSteps:\n    1. Grow it\n    2. Look,\n       again\n"
        "Expected:\n    - It has grown:\n        - on disk"
    )
    assert markdown_of(written) == (
        "Test that it grows.\n\n\n**Steps:**\n\n1. Grow it\n2. Look,\n   again\n\n**Expected:**\n\n"
        "- It has grown:\n    - on disk"
    )


def test_every_severity_is_one_of_allures():
    assert set(SEVERITIES.values()) <= {str(level.value) for level in allure.severity_level}


def test_plans_of_this_repository_link_their_tracker():
    """Those that are tracked by pull requests, whose addresses do not hold the key, have none."""
    for path in (Path(__file__).parents[2] / "stps").rglob("*.md"):
        by_pull_request = "/pull/" in path.read_text(encoding="utf-8").partition("### ")[2].partition("### ")[0]
        assert tracker_of(load_plan(path)).startswith("{}" if by_pull_request else "https://")
