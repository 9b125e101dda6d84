"""Who holds a slot, who goes first, who backs off (kubevirt sheet §4.10, §6)."""

import pytest

from lab.apiserver.builtin.kinds import POD
from lab.controllers.decisions import Faults
from lab.kubevirt.kinds import VMIM
from lab.kubevirt.migration.limits import Contender, Queue, backoff_end, requeue_delay
from unittests.lab_migration.bed import Bed

SLOW = {"bandwidthPerMigration": "64Mi"}
T0 = 1_767_225_600.0  # 2026-01-01T00:00:00Z
QUEUE = Queue(Faults())


def vmim(name, phase="Pending", *, created="00:00:00", failed=None, **spec):
    """A VMIM; `failed` is the time of its Failed stamp."""
    stamps = [{"phase": "Failed", "phaseTransitionTimestamp": f"2026-01-01T{failed}Z"}] if failed else []
    return {
        "metadata": {
            "name": name,
            "uid": name,
            "namespace": "default",
            "creationTimestamp": f"2026-01-01T{created}Z",
            "annotations": {"kubevirt.io/evacuationMigration": "node-a"},
        },
        "spec": {"vmiName": name, **spec},
        "status": {"phase": phase, "phaseTransitionTimestamps": stamps},
    }


def vmi(node, source=None):
    """A VMI on a node, whose last migration left `source`."""
    return {"status": {"nodeName": node, "migrationState": {"sourceNode": source} if source else {}}}


@pytest.mark.parametrize(
    ("phase", "has_pod", "counts"),
    [
        ("", False, False),
        ("", True, True),
        ("Pending", False, False),
        ("Pending", True, True),
        ("Scheduling", True, True),
        ("Scheduled", True, True),
        ("PreparingTarget", True, True),
        ("TargetReady", True, True),
        ("Running", True, True),
        ("WaitingForSync", False, False),
        ("Synchronizing", False, False),
    ],
)
def test_who_holds_a_slot(phase, has_pod, counts):
    found = QUEUE.slots(vmim("me"), "node-a", [Contender(vmim("other", phase), vmi("node-a"), has_pod)], 2)
    assert (found.active, found.outbound) == (int(counts), int(counts))


def test_a_migration_counts_for_its_source_until_it_is_final():
    moved = Contender(vmim("moved", "Running"), vmi("node-b", source="node-a"), True)
    assert QUEUE.slots(vmim("me"), "node-a", [moved], 2).outbound == 1
    assert QUEUE.slots(vmim("me"), "node-b", [moved], 2).outbound == 1
    assert QUEUE.slots(vmim("me"), "node-c", [moved], 2).outbound == 0


def test_a_migration_without_vmi_counts_in_the_cluster_only():
    assert QUEUE.slots(vmim("me"), "node-a", [Contender(vmim("x", "Running"), None, False)], 2).active == 1


def test_priorities_and_delays():
    names = ("system-critical", "user-triggered", "system-maintenance", None)
    asked = [vmim("x", priority=name) if name else vmim("x") for name in names]
    assert [QUEUE.priority(migration) for migration in asked] == [100, 50, 20, 0]
    assert [requeue_delay(migration) for migration in asked] == [1.0, 3.0, 5.0, 5.0]


def test_only_those_of_higher_priority_that_could_start_go_first():
    critical = [Contender(vmim(f"c{n}", priority="system-critical"), vmi("node-a"), False) for n in range(3)]
    running = Contender(vmim("r", "Running"), vmi("node-a"), True)
    me = QUEUE.slots(vmim("me", priority="user-triggered"), "node-b", [*critical, running], per_node=2)
    assert (me.active, me.ahead, me.ahead_on_node) == (1, 1, 0)
    assert me.cluster_is_full(2)
    assert not me.cluster_is_full(3)
    same_node = QUEUE.slots(vmim("me"), "node-a", [*critical, running], per_node=2)
    assert same_node.node_is_full(2)
    equal = QUEUE.slots(vmim("me", priority="system-critical"), "node-b", critical, per_node=2)
    assert equal.ahead == 0


@pytest.mark.parametrize(
    ("earlier", "delay"),
    [
        ([], None),
        ([vmim("a", "Failed", created="00:00:00", failed="00:01:00")], 20),
        (
            [
                vmim("a", "Failed", created="00:00:00", failed="00:00:10"),
                vmim("b", "Failed", created="00:00:30", failed="00:01:00"),
            ],
            40,
        ),
        (
            [
                vmim("a", "Failed", created="00:00:00", failed="00:00:10"),
                vmim("b", "Succeeded", created="00:00:20"),
                vmim("c", "Failed", created="00:00:30", failed="00:01:00"),
            ],
            20,
        ),
        ([vmim("a", "Succeeded", created="00:00:00")], None),
    ],
)
def test_backoff_doubles_with_each_failure_since_the_last_success(earlier, delay):
    me = vmim("me", created="00:01:01")
    expected = 0.0 if delay is None else T0 + 60 + delay
    assert backoff_end(me, [*earlier, me]) == expected


def test_no_backoff_for_manual_migrations_deleted_failures_or_when_told_to_ignore_it():
    failed = vmim("a", "Failed", failed="00:01:00")
    me = vmim("me", created="00:01:01")
    manual = {**me, "metadata": {**me["metadata"], "annotations": {}}}
    assert backoff_end(manual, [failed, manual]) == 0.0
    going = {**failed, "metadata": {**failed["metadata"], "deletionTimestamp": "2026-01-01T00:01:00Z"}}
    assert backoff_end(me, [going, me]) == 0.0
    notes = {**me["metadata"]["annotations"], "kubevirt.io/func-test-ignore-migration-backoff": ""}
    ignoring = {**me, "metadata": {**me["metadata"], "annotations": notes}}
    assert backoff_end(ignoring, [failed, ignoring]) == 0.0


def peaks(bed, names):
    """Highest number of active VMIMs seen, in the cluster, at every change of one."""
    highest = 0

    def count(_):
        nonlocal highest
        active = [m for m in bed.api.list(VMIM) if bed.phase(m["metadata"]["name"]) in names]
        highest = max(highest, len(active))

    bed.api.listen(VMIM, count)
    return lambda: highest


def run_everything(bed, seconds):
    """A kubelet for target pods: each runs half a second after it was made."""
    for _ in range(int(seconds * 2)):
        for pod in bed.api.list(POD, "default"):
            if pod["metadata"]["labels"].get("kubevirt.io/migrationJobUID") and not pod["spec"].get("nodeName"):
                bed.run(pod, "node-b")
        bed.clock.advance(0.5)


@pytest.mark.parametrize(("cluster", "node", "limit"), [(5, 2, 2), (3, 5, 3), (1, 2, 1)])
def test_limits_hold_over_the_whole_life_of_migrations_and_are_used(cluster, node, limit):
    bed = Bed(migrations={**SLOW, "parallelMigrationsPerCluster": cluster, "parallelOutboundMigrationsPerNode": node})
    active = ("Scheduling", "Scheduled", "PreparingTarget", "TargetReady", "Running")
    highest = peaks(bed, active)
    for number in range(5):
        bed.vmi(f"vm-{number}")
        bed.migrate(vmi=f"vm-{number}", name=f"move-{number}")
    run_everything(bed, 250)
    assert [bed.phase(f"move-{number}") for number in range(5)] == ["Succeeded"] * 5
    assert highest() == limit


def test_the_slot_is_held_between_the_switch_of_the_node_and_the_end():
    bed = Bed(migrations={"parallelOutboundMigrationsPerNode": 1})
    bed.vmi("vm-0")
    bed.vmi("vm-1")
    bed.migrate(vmi="vm-0", name="move-0")
    bed.to_running("move-0")
    bed.migrate(vmi="vm-1", name="move-1")
    while bed.see("vm-0")["status"]["nodeName"] == "node-a":
        bed.clock.advance(0.02)
    while bed.phase("move-0") == "Running":
        assert bed.target("move-1") is None
        bed.clock.advance(0.02)
    bed.clock.advance(6)
    assert bed.target("move-1") is not None


def test_an_unschedulable_target_holds_its_slot_until_it_is_given_up():
    bed = Bed(migrations={"parallelMigrationsPerCluster": 1})
    bed.vmi("vm-0")
    bed.vmi("vm-1")
    bed.migrate(vmi="vm-0", name="move-0", annotations={"kubevirt.io/migrationUnschedulablePodTimeoutSeconds": "60"})
    bed.clock.advance(0.3)
    bed.refuse(bed.target("move-0"))
    bed.migrate(vmi="vm-1", name="move-1")
    bed.clock.advance(58)
    assert bed.target("move-1") is None
    bed.clock.advance(8)
    assert bed.phase("move-0") == "Failed"
    assert bed.phase("move-1") == "Scheduling"


def test_higher_priority_starts_first_when_a_slot_is_freed():
    bed = Bed(migrations={**SLOW, "parallelMigrationsPerCluster": 1})
    for number in range(3):
        bed.vmi(f"vm-{number}")
    bed.migrate(vmi="vm-0", name="first")
    bed.to_running("first")
    bed.migrate(vmi="vm-1", name="low")
    bed.clock.advance(3)
    bed.migrate(vmi="vm-2", name="high", priority="system-critical")
    bed.until("Succeeded", "first")
    bed.clock.advance(6)
    assert (bed.phase("high"), bed.phase("low")) == ("Scheduling", "Pending")


def test_a_second_live_pod_holds_a_migration_back():
    bed = Bed()
    vmi = bed.vmi()
    leftover = bed.launcher(vmi, "node-b")
    bed.migrate()
    bed.clock.advance(5)
    assert (bed.phase(), bed.target()) == ("Pending", None)
    bed.end(leftover, "Succeeded")
    bed.clock.advance(2)
    assert bed.phase() == "Scheduling"


def test_an_evacuation_waits_its_backoff_and_says_so_on_the_vmi():
    bed = Bed()
    bed.vmi()
    evacuation = {"annotations": {"kubevirt.io/evacuationMigration": "node-a"}, "priority": "system-critical"}
    for name in ("first", "second"):
        bed.migrate(name=name, **evacuation)
        bed.clock.advance(21 if name == "second" else 0.3)
        bed.end(bed.target(name))
        bed.until("Failed", name)
        bed.clock.advance(1.5)
    bed.migrate(name="third", **evacuation)
    bed.clock.advance(36)
    assert (bed.phase("third"), bed.target("third")) == ("Pending", None)
    assert ("Warning", "MigrationBackoff", "backoff migrating vmi default/vm") in bed.events("e", "vm")
    bed.clock.advance(4)
    assert bed.phase("third") == "Scheduling"
