"""Preparing the target: what the launcher pod must have been rendered with (kubevirt sheet §3.1, §3.3, §4.11)."""

import pytest

from lab.apiserver.builtin.kinds import EVENT
from unittests.lab_migration.bed import Bed

HOOK = "vGPU live migration requires LibvirtHooksServerAndClient feature gate for vmi vm"


def prepared(bed, seconds=10):
    """Let a migration come to its target, and look."""
    bed.migrate()
    bed.to_scheduled()
    bed.clock.advance(seconds)
    return bed.phase()


def sync_failures(bed):
    """SyncFailed events on the VMI."""
    return [event for event in bed.api.list(EVENT) if event["reason"] == "SyncFailed"]


def test_without_the_hook_gate_the_target_is_never_ready():
    gates = {"featureGates": ["VGPULiveMigration"], "disabledFeatureGates": ["LibvirtHooksServerAndClient"]}
    bed = Bed(developerConfiguration=gates)
    bed.vmi()
    assert prepared(bed) == "PreparingTarget"
    (event,) = sync_failures(bed)
    assert event["type"] == "Warning"
    assert HOOK in event["message"]
    assert event["source"] == {"component": "virt-handler", "host": "node-b"}
    assert event["count"] >= 3
    assert bed.domain().guest.done == ["resume"]
    bed.clock.advance(3000)
    assert bed.phase() == "PreparingTarget"
    assert sync_failures(bed)[0]["count"] < 20


def test_the_pod_keeps_what_it_was_rendered_with():
    gates = {"featureGates": ["VGPULiveMigration"], "disabledFeatureGates": ["LibvirtHooksServerAndClient"]}
    bed = Bed(developerConfiguration=gates)
    bed.vmi()
    prepared(bed)
    bed.configure(developerConfiguration={"featureGates": ["VGPULiveMigration"], "disabledFeatureGates": []})
    bed.clock.advance(100)
    assert bed.phase() == "PreparingTarget"
    bed.end(bed.target())
    bed.clock.advance(1)
    bed.migrate(name="again")
    bed.to_running("again")
    bed.until("Succeeded", "again")


def test_guests_without_vgpu_do_not_need_it():
    bed = Bed(developerConfiguration={"disabledFeatureGates": ["LibvirtHooksServerAndClient"]})
    bed.vmi(gpus=0)
    assert prepared(bed, 6) in ("Running", "Succeeded")


def test_two_vgpus_are_too_many():
    bed = Bed()
    bed.vmi(gpus=2)
    assert prepared(bed) == "PreparingTarget"
    (event,) = sync_failures(bed)
    assert "vGPU live migration currently only supports a single vGPU, found 2 for vmi vm" in event["message"]


def test_preparation_can_be_blocked_and_unblocked():
    bed = Bed()
    bed.vmi()
    bed.annotate(func_test_block_migration_target_preparation="")
    assert prepared(bed, 60) == "PreparingTarget"
    (event,) = sync_failures(bed)
    text = "Blocking preparation of migration target in order to satisfy a functional test condition"
    assert text in event["message"]
    bed.annotate(func_test_block_migration_target_preparation=None)
    bed.until("Succeeded", within=5)


@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_preparation_takes_some_seconds(seconds):
    bed = Bed()
    bed.vmi()
    assert prepared(bed, seconds) == "PreparingTarget"


def test_a_migration_network_is_named():
    bed = Bed(migrations={"network": "migration-net"})
    bed.vmi()
    bed.migrate()
    bed.to_running()
    assert bed.state()["migrationNetworkType"] == "migration"
    assert bed.state()["migrationConfiguration"]["network"] == "migration-net"
