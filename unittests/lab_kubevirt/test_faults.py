"""Rows put in front of tables break the product in the way they say, and nothing else."""

import pytest

from lab.controllers.answers import says
from lab.controllers.decisions import Faults, Row, hold
from lab.controllers.effects import Patch
from lab.kubevirt.install import install_product
from lab.kubevirt.kinds import KUBEVIRT, VM
from lab.kubevirt.world import build
from lab.profiles.profile import Product, ProfileError

from .test_hco import KV, NAMESPACE
from .world import ADMIN, PROFILE, VGPU, Machines, Virtualization, vm


def broken(table, row):
    return Faults({table: (row,)})


def started(faults):
    cluster = Virtualization(faults=faults)
    cluster.api.create(VM, vm(), caller=ADMIN)
    cluster.clock.advance(80)
    assert cluster.vmi()["status"]["phase"] == "Running"
    return cluster


def test_the_gate_is_ignored():
    row = Row("fault:gate-ignored", lambda asked: bool(asked.gpus), says(""))
    cluster = started(broken("migratable-devices", row))
    assert cluster.condition("LiveMigratable")["status"] == "True"
    assert cluster.condition("StorageLiveMigratable")["status"] == "True"


def test_a_launcher_that_never_ends_keeps_its_device():
    row = Row("fault:launcher-stays", lambda launcher: launcher.had_guest and launcher.guest is None, hold)
    cluster = started(broken("virt-launcher", row))
    cluster.api.patch(VM, "qa", "vm1", {"spec": {"runStrategy": "Halted"}}, caller=ADMIN)
    cluster.clock.advance(30)
    used = [cluster.devices.in_use(node) for node in ("gpu-1", "gpu-2")]
    assert {VGPU: 1} in used


def test_a_status_word_that_should_not_be_there():
    row = Row("fault:unknown", lambda view: view.vmi_phase == "Running", says("Unknown"))
    assert started(broken("vm-printable-status", row)).vm()["status"]["printableStatus"] == "Unknown"


def test_an_operator_that_does_not_put_foreign_edits_right():
    row = Row("fault:foreign-edit-stays", lambda view: view.differs and not view.own_change, hold)
    machines = Machines(profile=PROFILE.model_copy(update={"product": Product()}), faults=broken("hco", row))
    install_product(machines.world)
    machines.clock.advance(10)
    body = {"spec": {"configuration": {"evictionStrategy": "External"}}}
    machines.api.patch(KUBEVIRT, NAMESPACE, KV, body, caller=ADMIN)
    machines.clock.advance(60)
    spec = machines.api.get(KUBEVIRT, NAMESPACE, KV)["spec"]
    assert spec["configuration"]["evictionStrategy"] == "External"


def test_a_row_may_do_anything_a_client_may():
    def mark(view):
        return (Patch(view.ref, {"metadata": {"labels": {"broken": "yes"}}}),)

    row = Row("fault:label", lambda view: "broken" not in (view.vm["metadata"].get("labels") or {}), mark)
    assert started(broken("vm-run-strategy", row)).vm()["metadata"]["labels"] == {"broken": "yes"}


def test_a_product_that_is_not_simulated_is_refused():
    machines = Machines()
    profile = PROFILE.model_copy(update={"product": Product(kubevirt="v1.8.4")})
    with pytest.raises(ProfileError, match=r"the lab simulates KubeVirt v1\.9\.x, not v1\.8\.4"):
        build(machines.api, machines.world.runtime, profile, seed=1, faults=Faults())
