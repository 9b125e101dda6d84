"""Evictions of launcher pods, and the migrations that follow them."""

import pytest

from lab.apiserver.builtin.kinds import NODE, POD
from lab.apiserver.errors import ApiError
from lab.apiserver.eviction import evict
from lab.kubevirt.gates import VGPU_LIVE_MIGRATION
from lab.kubevirt.kinds import VM, VMI, VMIM

from .test_product import lab
from .world import ADMIN, Virtualization, configured, vm

__all__ = ["lab"]
PREFIX = 'admission webhook "virt-launcher-eviction-interceptor.kubevirt.io" denied the request: '


def started(strategy, *, gates=(VGPU_LIVE_MIGRATION,)):
    cluster = Virtualization(configured(gates, evictionStrategy=strategy))
    cluster.api.create(VM, vm(), caller=ADMIN)
    cluster.clock.advance(80)
    return cluster


def refusal(cluster, **eviction):
    (launcher,) = cluster.pods()
    with pytest.raises(ApiError) as refused:
        _evict(cluster, launcher, **eviction)
    assert refused.value.code == 429
    assert refused.value.message.startswith(PREFIX)
    return refused.value.message.removeprefix(PREFIX)


def _evict(cluster, launcher, **eviction):
    name = launcher["metadata"]["name"]
    return evict(cluster.api, "qa", name, {"metadata": {"name": name}, **eviction}, caller=ADMIN)


def test_an_eviction_becomes_an_evacuation():
    cluster = started("LiveMigrate")
    assert refusal(cluster) == 'Eviction triggered evacuation of VMI "qa/vm1"'
    node = cluster.vmi()["status"]["nodeName"]
    assert cluster.vmi()["status"]["evacuationNodeName"] == node
    assert refusal(cluster) == 'Evacuation in progress: Eviction triggered evacuation of VMI "qa/vm1"'
    cluster.clock.advance(1)
    (migration,) = cluster.api.list(VMIM, "qa")
    assert migration["metadata"]["name"].startswith("kubevirt-evacuation-")
    assert migration["metadata"]["annotations"]["kubevirt.io/evacuationMigration"] == node
    assert migration["spec"]["priority"] == "system-critical"
    assert ("SuccessfulCreate", f"Created Migration {migration['metadata']['name']}") in cluster.reasons(
        "VirtualMachineInstance"
    )
    (launcher,) = cluster.pods()
    assert "descheduler.alpha.kubernetes.io/eviction-in-progress" in launcher["metadata"]["annotations"]


def test_a_vmi_that_must_move_and_cannot_blocks():
    cluster = started("LiveMigrate", gates=())
    text = "VMI vm1 is configured with an eviction strategy but is not live-migratable"
    assert refusal(cluster) == text
    assert "evacuationNodeName" not in cluster.vmi()["status"]


def test_external_is_marked_and_left_to_others():
    cluster = started("External")
    assert refusal(cluster) == 'Eviction triggered evacuation of VMI "qa/vm1"'
    cluster.clock.advance(5)
    assert cluster.api.list(VMIM, "qa") == []


@pytest.mark.parametrize(("strategy", "gates"), [("None", (VGPU_LIVE_MIGRATION,)), ("LiveMigrateIfPossible", ())])
def test_without_a_strategy_that_helps_the_guest_dies(strategy, gates):
    cluster = started(strategy, gates=gates)
    first = cluster.vmi()["metadata"]["uid"]
    (launcher,) = cluster.pods()
    _evict(cluster, launcher)
    cluster.clock.advance(120)
    assert cluster.vmi()["metadata"]["uid"] != first


def test_a_dry_run_marks_nothing():
    cluster = started("LiveMigrate")
    refusal(cluster, deleteOptions={"dryRun": ["All"]})
    assert "evacuationNodeName" not in cluster.vmi()["status"]


def test_the_descheduler_asks_with_less_urgency():
    cluster = started("LiveMigrate")
    (launcher,) = cluster.pods()
    name = launcher["metadata"]["name"]
    asked = {"metadata": {"name": name, "annotations": {"requested-by": "sigs.k8s.io/descheduler"}}}
    with pytest.raises(ApiError):
        evict(cluster.api, "qa", name, asked, caller=ADMIN)
    cluster.clock.advance(1)
    (migration,) = cluster.api.list(VMIM, "qa")
    assert migration["spec"]["priority"] == "system-maintenance"


def test_the_old_taint_evacuates_too():
    cluster = started("LiveMigrate")
    node = cluster.vmi()["status"]["nodeName"]
    cluster.api.patch(NODE, "", node, {"spec": {"taints": [{"key": "kubevirt.io/drain", "effect": "NoSchedule"}]}})
    cluster.clock.advance(1)
    assert len(cluster.api.list(VMIM, "qa")) == 1


def test_a_drain_moves_the_guest_and_lets_the_old_pod_go(lab):
    before, pod = lab.vmi(), lab.launcher()
    source = before["status"]["nodeName"]
    lab.api.patch(NODE, "", source, {"spec": {"unschedulable": True}}, caller=ADMIN)
    name = pod["metadata"]["name"]
    with pytest.raises(ApiError, match="Eviction triggered evacuation"):
        evict(lab.api, "qa", name, {"metadata": {"name": name}}, caller=ADMIN)
    lab.clock.advance(60)
    after = lab.api.get(VMI, "qa", "vm1")
    assert after["status"]["nodeName"] != source
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert "evacuationNodeName" not in after["status"]
    evict(lab.api, "qa", name, {"metadata": {"name": name}}, caller=ADMIN)
    lab.clock.advance(10)
    assert [entry["metadata"]["name"] for entry in lab.api.list(POD, "qa")] == [lab.launcher()["metadata"]["name"]]
    assert len(lab.api.list(VMIM, "qa")) == 1
