"""Finished migrations: the newest five are kept, with their pods (kubevirt sheet §4.10)."""

from lab.apiserver.builtin.kinds import POD
from lab.kubevirt.kinds import VMIM
from lab.kubevirt.migration.controller import leftovers
from unittests.lab_migration.bed import Bed


def final(number, phase="Failed", **state):
    """A final VMIM, numbered in order of creation."""
    metadata = {"name": f"m{number}", "namespace": "default", "creationTimestamp": f"2026-01-01T00:00:{number:02}Z"}
    return {"metadata": metadata, "spec": {"vmiName": "vm"}, "status": {"phase": phase, "migrationState": state}}


def test_the_oldest_go_first_with_what_they_left_behind():
    found = leftovers(
        [
            *(final(number) for number in range(3, 8)),
            final(2, "Succeeded", completed=True, sourcePod="old-source", targetPod="now-in-use"),
            final(1, failed=True, completed=True, sourcePod="in-use", targetPod="old-target"),
            final(0),
            final(9, "Running"),
        ]
    )
    assert [(item.migration["metadata"]["name"], item.pod) for item in found] == [
        ("m0", ""),
        ("m1", "old-target"),
        ("m2", "old-source"),
    ]


def test_those_being_deleted_do_not_count():
    going = final(0)
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:10:00Z"
    assert leftovers([going, *(final(number) for number in range(1, 6))]) == []


def test_five_stay():
    bed = Bed()
    bed.vmi()
    bed.annotate(func_test_force_launcher_migration_failure="")
    for number in range(7):
        bed.migrate(name=f"move-{number}")
        pod = bed.to_scheduled(f"move-{number}")
        bed.until("Failed", f"move-{number}")
        bed.end(pod)
        bed.clock.advance(2)
    assert [migration["metadata"]["name"] for migration in bed.api.list(VMIM)] == [f"move-{n}" for n in range(2, 7)]
    targets = [p for p in bed.api.list(POD) if p["metadata"]["labels"].get("kubevirt.io/migrationJobUID")]
    assert sum("deletionTimestamp" not in pod["metadata"] for pod in targets) == 5


def test_other_vmis_keep_theirs():
    bed = Bed()
    bed.vmi()
    bed.vmi("other")
    bed.migrate(vmi="other", name="others")
    bed.clock.advance(0.3)
    bed.end(bed.target("others"))
    bed.annotate(func_test_force_launcher_migration_failure="")
    for number in range(6):
        bed.migrate(name=f"move-{number}")
        pod = bed.to_scheduled(f"move-{number}")
        bed.until("Failed", f"move-{number}")
        bed.end(pod)
        bed.clock.advance(2)
    assert bed.phase("others") == "Failed"
