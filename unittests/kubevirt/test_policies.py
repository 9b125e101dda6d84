"""Policies for one VM, and what they make of its memory."""

import pytest

from utilities.kubevirt.policies import Policies, acceptable_seconds

from .acting import MemoryRest, Remembering


@pytest.mark.parametrize(
    ("memory", "per_gigabyte", "seconds"),
    [
        ("1G", 20, 20),
        ("2Gi", 20, 60),  # 2.147 GB, rounded up
        ("512Mi", 20, 20),
        ("1000M", 150, 150),
        ("1001M", 150, 300),
        ("1.5G", 10, 20),
        ("2000000000", 20, 40),
        ("1Ti", 1, 1100),
        ("2Gi", 0, 0),
    ],
)
def test_acceptable_time_counts_decimal_gigabytes_begun(memory, per_gigabyte, seconds):
    assert acceptable_seconds(memory, per_gigabyte) == seconds


@pytest.mark.parametrize("memory", ["", "2 Gi", "-1G", "two", "1Pi", "1gi", "1e9"])
def test_what_is_no_quantity_is_refused(memory):
    with pytest.raises(ValueError, match="not a quantity of bytes"):
        acceptable_seconds(memory, 20)


def test_a_policy_selects_by_labels_for_the_length_of_its_block():
    actor = Remembering(MemoryRest())
    labels = {"app": "vm-1", "team": "red"}
    with Policies(actor, "ours-").matching(labels, bandwidthPerMigration="8Mi") as name:
        ((_, made),) = actor.changes
    assert name == "ours-x"
    assert made.body["spec"] == {
        "selectors": {"virtualMachineInstanceSelector": labels},
        "bandwidthPerMigration": "8Mi",
    }
    assert [what for what, _ in actor.changes] == ["made", "undone"]


def test_a_policy_is_changed_in_place():
    actor = Remembering(MemoryRest())
    Policies(actor, "ours-").change("vm-1-1", allowPostCopy=True)
    assert actor.rest.written == [("patch", "migrationpolicies", "vm-1-1", {"spec": {"allowPostCopy": True}}, None)]
