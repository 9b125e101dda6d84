"""Each fault of a drain breaks what it says, in a whole cluster."""

import pytest

from benchmarks.drain_lab import SOURCE, TARGETS, DrainLab
from lab.apiserver.builtin.kinds import NODE
from lab.apiserver.errors import ApiError
from lab.faults.drain import DRAIN_FAULTS
from lab.faults.fault import named, together
from lab.kubevirt.kinds import KUBEVIRT, VMI
from lab.kubevirt.subresources.instances import EVACUATE_CANCEL

TWO_OF_FIVE = {"parallelOutboundMigrationsPerNode": 2, "parallelMigrationsPerCluster": 5}


def broken(name, count=1, **start):
    """A lab with that fault and running VMs."""
    lab = DrainLab(faults=named([name], DRAIN_FAULTS))
    lab.configure(**TWO_OF_FIVE)
    lab.names = lab.start(count, **start)
    lab.uids = [lab.see(name)["metadata"]["uid"] for name in lab.names]
    return lab


def launcher(lab, vm="vm-1"):
    """Name of the launcher pod that the guest of a VM is in."""
    pods = [p for p in lab.launchers() if p["metadata"]["annotations"]["kubevirt.io/domain"] == vm]
    node = lab.see(vm)["status"]["nodeName"]
    (found,) = (p["metadata"]["name"] for p in pods if p["spec"].get("nodeName") == node)
    return found


def gate_off(lab):
    """The gate off, and every VMI looked at again."""
    (found,) = lab.api.list(KUBEVIRT)
    body = {"spec": {"configuration": {"developerConfiguration": {"featureGates": ["HostDevices"]}}}}
    lab.api.patch(KUBEVIRT, found["metadata"]["namespace"], found["metadata"]["name"], body)
    lab.clock.advance(10)
    for name in lab.names:
        lab.api.patch(VMI, "qa", name, {"metadata": {"annotations": {"look": "again"}}})
    lab.clock.advance(2)


def fail_migrations(lab, vm="vm-1"):
    """The product's own hook: every migration of the VM fails at its source."""
    notes = {"kubevirt.io/func-test-force-launcher-migration-failure": "true"}
    lab.api.patch(VMI, "qa", vm, {"metadata": {"annotations": notes}})


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", ["outbound_limit_race", "limits_ignored_while_scheduling"])
def test_the_nodes_limit_is_exceeded(name, seed):
    lab = DrainLab(seed, named([name], DRAIN_FAULTS))
    lab.configure(**TWO_OF_FIVE)
    lab.start(8)
    assert lab.drain(SOURCE)
    assert lab.truth.nodes[SOURCE] > 2


def test_the_race_does_not_exceed_the_clusters_limit():
    lab = broken("outbound_limit_race", 8)
    lab.configure(parallelMigrationsPerCluster=2)
    lab.drain(SOURCE)
    assert lab.truth.cluster == 2


def test_the_clusters_limit_is_exceeded_and_the_nodes_is_not():
    lab = broken("cluster_limit_ignored", 4)
    lab.configure(parallelMigrationsPerCluster=3)
    lab.start(4, node=TARGETS[0], name="other")
    assert lab.drain(SOURCE, TARGETS[0])
    assert (lab.truth.cluster, lab.truth.nodes[SOURCE]) == (4, 2)


def test_the_limits_are_not_used():
    lab = broken("drain_serialised", 4)
    assert lab.drain(SOURCE)
    assert lab.truth.cluster == 1


def test_the_guest_moves_twice():
    lab = broken("evacuated_twice", 3)
    lab.drain(SOURCE)
    lab.clock.advance(60)
    for name in lab.names:
        assert [m["status"]["phase"] for m in lab.migrations(name)] == ["Succeeded", "Succeeded"]


def test_the_guest_dies():
    lab = broken("killed_by_eviction")
    assert lab.drain(SOURCE)
    lab.until(lambda: lab.see("vm-1")["status"].get("phase") == "Running", 120)
    assert lab.see("vm-1")["metadata"]["uid"] not in lab.uids
    assert lab.migrations() == []


def test_the_guest_that_cannot_move_dies():
    lab = broken("blocked_vm_deleted")
    gate_off(lab)
    assert lab.evict(launcher(lab)) == ""


def test_the_mark_stays_and_nobody_moves_again():
    lab = broken("evacuation_never_cleared")
    assert lab.drain(SOURCE)
    assert lab.see("vm-1")["status"]["evacuationNodeName"] == SOURCE
    assert len(lab.migrations()) == 1


def test_a_user_overtakes():
    lab = broken("users_overtake_evacuations", 4)
    lab.configure(parallelMigrationsPerCluster=2)
    lab.start(1, node=TARGETS[0], name="mine")
    for vm in lab.names:
        lab.evict(launcher(lab, vm))
    lab.clock.advance(0.5)
    lab.migrate("mine-1")
    lab.until(lambda: all(m["status"].get("phase") == "Succeeded" for m in lab.migrations()), 200)
    started = {m["metadata"]["name"]: m["status"]["phaseTransitionTimestamps"][1] for m in lab.migrations()}
    mine = started.pop("move")["phaseTransitionTimestamp"]
    assert sum(stamp["phaseTransitionTimestamp"] > mine for stamp in started.values()) >= 1


def test_no_backoff():
    lab = broken("backoff_ignored")
    fail_migrations(lab)
    lab.evict(launcher(lab))
    lab.clock.advance(60)
    assert len([m for m in lab.migrations() if m["status"].get("phase") == "Failed"]) >= 3


def test_if_possible_blocks():
    lab = broken("if_possible_blocks", strategy="LiveMigrateIfPossible")
    assert "Eviction triggered" in lab.evict(launcher(lab))
    lab.until(lambda: lab.see("vm-1")["status"]["nodeName"] != SOURCE, 60)
    gate_off(lab)
    lab.clock.advance(10)
    assert lab.evict(launcher(lab)).endswith("VMI vm-1 is not live-migratable")


def test_none_is_migrated():
    lab = broken("none_is_migrated", strategy="None")
    assert "Eviction triggered" in lab.evict(launcher(lab))
    lab.until(lambda: lab.see("vm-1")["status"]["nodeName"] != SOURCE, 60)


def test_external_is_migrated():
    lab = broken("external_is_migrated", strategy="External")
    lab.evict(launcher(lab))
    lab.until(lambda: lab.see("vm-1")["status"]["nodeName"] != SOURCE, 60)


def test_a_second_migration_is_accepted():
    lab = broken("second_migration_accepted")
    lab.evict(launcher(lab))
    lab.clock.advance(0.5)
    assert lab.migrate("vm-1")["metadata"]["uid"]


def test_cancelling_does_nothing():
    table = together(named(["cancel_ignored"], DRAIN_FAULTS)).ahead_of(EVACUATE_CANCEL)
    assert table.rows[0].name == "fault: nothing is done"


def test_the_taint_does_nothing_and_evictions_still_do():
    lab = broken("drain_taint_ignored")
    taints = [{"key": "kubevirt.io/drain", "effect": "NoSchedule"}]
    lab.api.patch(NODE, "", SOURCE, {"spec": {"taints": taints}})
    lab.clock.advance(5)
    assert lab.migrations() == []
    lab.evict(launcher(lab))
    lab.until(lambda: lab.see("vm-1")["status"]["nodeName"] != SOURCE, 60)


def test_a_user_of_a_vm_under_evacuation_is_refused_without_a_fault():
    lab = DrainLab()
    lab.start()
    lab.evict(launcher(lab))
    lab.clock.advance(0.5)
    with pytest.raises(ApiError, match="in-flight migration detected"):
        lab.migrate("vm-1")
