"""Pods from created to gone: where they land, why not, which devices they hold."""

import pytest

from lab.apiserver.builtin.kinds import EVENT, NODE, POD
from lab.controllers.answers import says
from lab.controllers.decisions import Faults, Row
from lab.scheduling.filters import FITS

from .world import VGPU, Machines, pod

GPU = {VGPU: "1"}


@pytest.fixture
def machines():
    return Machines()


def phase(machines, name):
    return machines.api.get(POD, "qa", name)["status"].get("phase")


def conditions(machines, name):
    return {entry["type"]: entry for entry in machines.api.get(POD, "qa", name)["status"]["conditions"]}


def finish(machines, name):
    """End a pod's program well."""
    machines.processes.exit(machines.api.get(POD, "qa", name)["metadata"]["uid"], 0)


def test_a_pod_is_bound_runs_and_becomes_ready(machines):
    machines.api.create(POD, pod(limits=GPU))
    machines.clock.advance(40)
    found = machines.api.get(POD, "qa", "p1")
    assert found["spec"]["nodeName"] in ("gpu-1", "gpu-2")
    assert found["status"]["phase"] == "Running"
    assert found["status"]["podIP"].startswith("10.1")
    assert conditions(machines, "p1")["Ready"]["status"] == "True"
    (device,) = machines.devices.of(found["metadata"]["uid"]).devices
    environment = machines.devices.of(found["metadata"]["uid"]).environment()
    assert environment == {"MDEV_PCI_RESOURCE_NVIDIA_COM_GRID_T4_2Q": device.id}


def test_among_many_nodes_only_some_are_looked_at_and_each_gets_its_turn(machines, monkeypatch):
    monkeypatch.setattr("lab.scheduling.scheduler.ENOUGH", 1)
    for number in range(4):
        machines.api.create(POD, pod(f"p{number}", limits=GPU))
        machines.clock.advance(1)
    machines.clock.advance(40)
    landed = [machines.api.get(POD, "qa", f"p{number}")["spec"]["nodeName"] for number in range(4)]
    assert landed in (["gpu-1", "gpu-2"] * 2, ["gpu-2", "gpu-1"] * 2)


def test_no_capacity_is_told_in_the_schedulers_words_and_cured_by_an_end(machines):
    for number in range(5):
        machines.api.create(POD, pod(f"p{number}", limits=GPU))
        machines.clock.advance(1)
    machines.clock.advance(40)
    refused = conditions(machines, "p4")["PodScheduled"]
    assert (refused["status"], refused["reason"]) == ("False", "Unschedulable")
    assert refused["message"] == (
        "0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, "
        "3 Insufficient nvidia.com/GRID_T4_2Q. preemption: 0/4 nodes are available: "
        "3 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling."
    )
    assert any(event["reason"] == "FailedScheduling" for event in machines.api.list(EVENT, "qa"))
    finish(machines, "p0")
    machines.clock.advance(30)
    assert phase(machines, "p0") == "Succeeded"
    assert phase(machines, "p4") == "Running"


def test_selectors_affinity_and_cordon(machines):
    on_t4 = {"kubernetes.io/hostname": "gpu-2"}
    apart = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": "x"}}, "topologyKey": "kubernetes.io/hostname"}
            ]
        }
    }
    machines.api.create(POD, pod("a", labels={"app": "x"}, nodeSelector=on_t4))
    machines.clock.advance(30)
    assert machines.api.get(POD, "qa", "a")["spec"]["nodeName"] == "gpu-2"
    machines.api.create(POD, pod("b", nodeSelector=on_t4, affinity=apart))
    machines.clock.advance(5)
    message = conditions(machines, "b")["PodScheduled"]["message"]
    assert "1 node(s) didn't match pod anti-affinity rules" in message
    assert "2 node(s) didn't match Pod's node affinity/selector" in message
    machines.api.patch(NODE, "", "worker-1", {"spec": {"unschedulable": True}})
    machines.api.create(POD, pod("c", nodeSelector={"kubernetes.io/hostname": "worker-1"}))
    machines.clock.advance(5)
    assert "1 node(s) were unschedulable" in conditions(machines, "c")["PodScheduled"]["message"]
    machines.api.patch(NODE, "", "worker-1", {"spec": {"unschedulable": None}})
    machines.clock.advance(30)
    assert phase(machines, "c") == "Running"


def test_an_unknown_image_is_not_pulled(machines):
    machines.api.create(POD, pod(image="registry.example/none:1"))
    machines.clock.advance(6)
    (status,) = machines.api.get(POD, "qa", "p1")["status"]["containerStatuses"]
    assert status["state"]["waiting"]["reason"] == "ErrImagePull"
    machines.clock.advance(30)
    (status,) = machines.api.get(POD, "qa", "p1")["status"]["containerStatuses"]
    assert status["state"]["waiting"]["reason"] == "ImagePullBackOff"
    assert phase(machines, "p1") == "Pending"


def test_devices_are_free_again_when_the_pod_ends_or_is_gone(machines):
    for name in ("a", "b"):
        machines.api.create(POD, pod(name, limits=GPU, nodeSelector={"kubernetes.io/hostname": "gpu-1"}))
    machines.clock.advance(40)
    assert machines.devices.in_use("gpu-1") == {VGPU: 2}
    finish(machines, "a")
    machines.clock.advance(5)
    assert machines.devices.in_use("gpu-1") == {VGPU: 1}
    machines.api.delete(POD, "qa", "b")
    machines.clock.advance(40)
    assert machines.devices.in_use("gpu-1") == {}
    assert dict(machines.placement.used("gpu-1"))[VGPU] == 0


def test_a_readiness_gate_keeps_a_running_pod_unready(machines):
    machines.api.create(POD, pod(readinessGates=[{"conditionType": "x/unpaused"}]))
    machines.clock.advance(40)
    assert conditions(machines, "p1")["Ready"]["reason"] == "ReadinessGatesNotReady"
    status = machines.api.get(POD, "qa", "p1")["status"]
    opened = [*status["conditions"], {"type": "x/unpaused", "status": "True"}]
    machines.api.patch(POD, "qa", "p1", {"status": {"conditions": opened}}, subresource="status")
    machines.clock.advance(1)
    assert conditions(machines, "p1")["Ready"]["status"] == "True"


def test_a_fault_row_in_front_of_the_filters_wins():
    always = Row("fault:fits-anywhere", lambda candidate: True, says(FITS))
    machines = Machines(faults=Faults({"scheduler-filter": (always,)}))
    machines.api.create(POD, pod(nodeSelector={"no": "such"}))
    machines.clock.advance(2)
    assert machines.api.get(POD, "qa", "p1")["spec"]["nodeName"]


def test_a_pod_the_node_has_no_device_for_is_rejected():
    always = Row("fault:fits-anywhere", lambda candidate: True, says(FITS))
    machines = Machines(faults=Faults({"scheduler-filter": (always,)}))
    machines.api.create(POD, pod(limits={VGPU: "3"}))
    machines.clock.advance(2)
    status = machines.api.get(POD, "qa", "p1")["status"]
    assert (status["phase"], status["reason"]) == ("Failed", "UnexpectedAdmissionError")
