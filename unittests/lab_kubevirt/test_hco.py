"""HyperConverged: what it generates, the annotation, the trap, foreign edits, both shapes."""

import json

import pytest

from lab.apiserver.builtin.kinds import EVENT
from lab.apiserver.errors import ApiError
from lab.kubevirt.config import effective
from lab.kubevirt.gates import LIBVIRT_HOOKS, VGPU_LIVE_MIGRATION
from lab.kubevirt.hco.conversion import to_v1, to_v1beta1
from lab.kubevirt.install import install_product
from lab.kubevirt.kinds import HCO, KUBEVIRT
from lab.profiles.profile import Product

from .world import ADMIN, NODES, PROFILE, VGPU, Machines

NAMESPACE, NAME, KV = "openshift-cnv", "kubevirt-hyperconverged", "kubevirt-kubevirt-hyperconverged"
ANNOTATION = "kubevirt.kubevirt.io/jsonpatch"
GATES = "/spec/configuration/developerConfiguration/featureGates"


class Product5(Machines):
    """A cluster whose product HCO installed."""

    def __init__(self, **product):
        super().__init__(profile=PROFILE.model_copy(update={"product": Product(**product), "nodes": NODES}))
        self.component = self.world.config.component("virt-handler")
        install_product(self.world)
        self.clock.advance(20)

    def hco(self):
        return self.api.get(HCO, NAMESPACE, NAME)

    def kubevirt(self):
        return self.api.get(KUBEVIRT, NAMESPACE, KV)

    def annotate(self, *operations):
        value = json.dumps(operations) if operations else None
        self.api.patch(HCO, NAMESPACE, NAME, {"metadata": {"annotations": {ANNOTATION: value}}}, caller=ADMIN)

    def conditions(self, obj):
        return {entry["type"]: entry for entry in obj["status"]["conditions"]}


@pytest.fixture
def cluster():
    return Product5()


def add(gate):
    return {"op": "add", "path": f"{GATES}/-", "value": gate}


def test_a_lab_starts_with_a_healthy_product(cluster):
    kubevirt, hco = cluster.kubevirt(), cluster.hco()
    assert kubevirt["status"]["phase"] == "Deployed"
    assert kubevirt["status"]["observedGeneration"] == kubevirt["metadata"]["generation"]
    assert kubevirt["status"]["observedKubeVirtVersion"] == "v1.9.0"
    states = {kind: entry["status"] for kind, entry in cluster.conditions(kubevirt).items()}
    assert states == {
        "Available": "True", "Progressing": "False", "Degraded": "False", "Created": "True", "Synchronized": "True",
    }  # fmt: skip
    assert hco["status"]["systemHealthStatus"] == "healthy"
    states = {kind: entry["status"] for kind, entry in cluster.conditions(hco).items()}
    assert states == {
        "ReconcileComplete": "True", "Available": "True", "Progressing": "False", "Degraded": "False",
        "Upgradeable": "True",
    }  # fmt: skip


def test_defaults_of_hco_1_19(cluster):
    config = effective(cluster.kubevirt())
    assert config.migrations.parallel_outbound_per_node == 1
    assert config.migrations.completion_timeout_per_gib == 20
    assert config.migrations.allow_workload_disruption is False
    assert config.eviction_strategy == "LiveMigrate"
    assert VGPU in config.devices.mediated
    disabled = cluster.kubevirt()["spec"]["configuration"]["developerConfiguration"]["disabledFeatureGates"]
    assert disabled == [
        "ExternalNetResourceInjection", "GPUsWithDRA", "HostDevicesWithDRA", "ImageVolume",
        "LibvirtHooksServerAndClient", "NodeRestriction", "OptOutRoleAggregation", "PasstBinding",
        "PodSecondaryInterfaceNamingUpgrade", "RebootPolicy", "Template", "VmiMemoryOverheadReport",
        "WorkloadEncryptionSEV",
    ]  # fmt: skip


def test_defaults_of_hco_1_18():
    cluster = Product5(hco="1.18.0")
    config = effective(cluster.kubevirt())
    assert config.migrations.parallel_outbound_per_node == 2
    assert config.migrations.completion_timeout_per_gib == 150
    assert config.gates.disabled == ()


def test_the_trap_one_gate_alone_leaves_the_hook_gate_off(cluster):
    cluster.annotate(add(VGPU_LIVE_MIGRATION))
    cluster.clock.advance(20)
    config = effective(cluster.kubevirt())
    assert config.on(VGPU_LIVE_MIGRATION)
    assert not config.on(LIBVIRT_HOOKS)
    assert cluster.component.current.on(VGPU_LIVE_MIGRATION)
    tainted = cluster.conditions(cluster.hco())["TaintedConfiguration"]
    assert (tainted["status"], tainted["reason"]) == ("True", "UnsupportedFeatureAnnotation")
    kubevirt = cluster.kubevirt()
    assert kubevirt["status"]["observedGeneration"] == kubevirt["metadata"]["generation"]


def test_the_way_out_of_the_trap_and_back(cluster):
    before = cluster.kubevirt()["spec"]
    cluster.annotate(
        add(VGPU_LIVE_MIGRATION),
        {"op": "remove", "path": "/spec/configuration/developerConfiguration/disabledFeatureGates"},
    )
    cluster.clock.advance(20)
    assert effective(cluster.kubevirt()).on(LIBVIRT_HOOKS)
    assert {event["reason"] for event in cluster.api.list(EVENT, NAMESPACE)} >= {"Updated"}
    cluster.annotate()
    cluster.clock.advance(20)
    assert cluster.kubevirt()["spec"] == before
    assert "TaintedConfiguration" not in cluster.conditions(cluster.hco())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("not json", "invalid jsonPatch in the kubevirt.kubevirt.io/jsonpatch annotation: "),
        ('[{"op": "add", "path": "/metadata/labels/x", "value": "y"}]', "can only modify spec fields"),
        ('[{"op": "remove", "path": "/spec/no/such"}]', "invalid jsonPatch in the "),
        (json.dumps([add(LIBVIRT_HOOKS)]), f'feature gate "{LIBVIRT_HOOKS}" exists on both'),
    ],
)
def test_a_bad_annotation_is_refused_at_admission(cluster, value, text):
    body = {"metadata": {"annotations": {ANNOTATION: value}}}
    with pytest.raises(ApiError) as refused:
        cluster.api.patch(HCO, NAMESPACE, NAME, body, caller=ADMIN)
    assert text in refused.value.message
    assert refused.value.message.startswith('admission webhook "validate-hco.kubevirt.io" denied the request: ')


def test_a_foreign_edit_is_overwritten_within_seconds(cluster):
    before = cluster.kubevirt()["spec"]
    body = {"spec": {"configuration": {"developerConfiguration": {"featureGates": [VGPU_LIVE_MIGRATION]}}}}
    cluster.api.patch(KUBEVIRT, NAMESPACE, KV, body, caller=ADMIN)
    cluster.clock.advance(0.5)
    assert cluster.kubevirt()["spec"] != before
    cluster.clock.advance(5)
    assert cluster.kubevirt()["spec"] == before
    (event,) = [event for event in cluster.api.list(EVENT, NAMESPACE) if event["reason"] == "Overwritten"]
    assert (event["type"], event["message"]) == ("Warning", f"Overwritten KubeVirt {KV}")


def test_a_gate_in_both_lists_of_a_kubevirt_object_is_refused(cluster):
    gates = {"featureGates": ["Snapshot"], "disabledFeatureGates": ["Snapshot"]}
    body = {"spec": {"configuration": {"developerConfiguration": gates}}}
    with pytest.raises(ApiError, match='feature gate "Snapshot" exists on both "FeatureGates" and') as refused:
        cluster.api.patch(KUBEVIRT, NAMESPACE, KV, body, caller=ADMIN)
    assert refused.value.code == 422


def test_live_migration_settings_reach_the_kubevirt_object(cluster):
    body = {"spec": {"virtualization": {"liveMigrationConfig": {"bandwidthPerMigration": "64Mi"}}}}
    cluster.api.patch(HCO, NAMESPACE, NAME, body, caller=ADMIN)
    cluster.clock.advance(20)
    assert cluster.component.current.migrations.bandwidth == 64 * 2**20


def test_without_hco():
    profile = PROFILE.model_copy(update={"product": Product(installed_by="kubevirt"), "nodes": NODES})
    machines = Machines(profile=profile)
    install_product(machines.world)
    machines.clock.advance(20)
    kubevirt = machines.api.get(KUBEVIRT, "kubevirt", "kubevirt")
    assert kubevirt["status"]["phase"] == "Deployed"
    config = effective(kubevirt)
    assert config.on(LIBVIRT_HOOKS)
    assert config.migrations.completion_timeout_per_gib == 150
    assert machines.api.list(HCO) == []


def test_both_shapes_of_a_hyperconverged_object():
    new = {
        "apiVersion": "hco.kubevirt.io/v1",
        "metadata": {"name": NAME},
        "spec": {
            "featureGates": [{"name": "downwardMetrics"}, {"name": "objectGraph", "state": "Disabled"}],
            "virtualization": {
                "evictionStrategy": "None",
                "liveMigrationConfig": {"allowPostCopy": True},
                "mediatedDevicesConfiguration": {"enabled": False},
                "permittedHostDevices": {"mediatedDevices": []},
            },
            "deployment": {"nodePlacements": {"infra": {"nodeSelector": {"a": "b"}}}},
        },
    }
    old = to_v1beta1(new)
    assert old["apiVersion"] == "hco.kubevirt.io/v1beta1"
    assert old["spec"] == {
        "featureGates": {"downwardMetrics": True, "objectGraph": False, "disableMDevConfiguration": True},
        "evictionStrategy": "None",
        "liveMigrationConfig": {"allowPostCopy": True},
        "permittedHostDevices": {"mediatedDevices": []},
        "infra": {"nodePlacement": {"nodeSelector": {"a": "b"}}},
    }
    again = to_v1(old)
    new["spec"]["featureGates"][0]["state"] = "Enabled"
    assert again == new
