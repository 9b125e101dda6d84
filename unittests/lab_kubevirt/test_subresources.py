"""Actions on VMs and VMIs: codes, texts, and what they do."""

import json

import pytest

from lab.apiserver.errors import ApiError
from lab.kubevirt.gates import VGPU_LIVE_MIGRATION
from lab.kubevirt.kinds import VM, VMI, VMIM
from lab.kubevirt.subresources import information, instances, lifecycle
from lab.kubevirt.subresources.handlers import Subresources

from .world import ADMIN, Virtualization, configured, vm


class Acting(Virtualization):
    """A cluster with virt-api's actions."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        world = self.world
        config = world.config.component("virt-api")
        self.actions = Subresources(self.api, world.domains, self.guests, config, world.callers, world.faults)

    def act(self, table, name="vm1", **options):
        self.actions.act(table, self.actions.ask("qa", name, json.dumps(options).encode()))

    def refusal(self, table, name="vm1", **options):
        """(code, message) of the refusal."""
        with pytest.raises(ApiError) as refused:
            self.act(table, name, **options)
        return refused.value.code, refused.value.message

    def start(self, **manifest):
        self.api.create(VM, vm(**manifest), caller=ADMIN)
        self.clock.advance(80)
        return self


@pytest.fixture
def cluster():
    return Acting()


def on_vm(text, name="vm1"):
    return f'Operation cannot be fulfilled on virtualmachine.kubevirt.io "{name}": {text}'


def on_vmi(text, name="vm1"):
    return f'Operation cannot be fulfilled on virtualmachineinstance.kubevirt.io "{name}": {text}'


@pytest.mark.parametrize(
    "table", [lifecycle.START, lifecycle.STOP, lifecycle.RESTART, lifecycle.MIGRATE], ids=lambda table: table.name
)
def test_a_vm_that_is_not_there(cluster, table):
    assert cluster.refusal(table, "none") == (404, 'virtualmachine.kubevirt.io "none" not found')


def test_start_and_stop_of_a_halted_vm(cluster):
    cluster.start(strategy="Halted")
    assert cluster.refusal(lifecycle.STOP) == (409, on_vm("VM is not running"))
    assert cluster.refusal(lifecycle.RESTART) == (
        409, on_vm("RunStategy Halted does not support manual restart requests"),
    )  # fmt: skip
    cluster.act(lifecycle.START)
    assert cluster.vm()["spec"]["runStrategy"] == "Always"
    cluster.clock.advance(80)
    assert cluster.refusal(lifecycle.START) == (409, on_vm("VM is already running"))
    cluster.act(lifecycle.STOP)
    assert cluster.vm()["spec"]["runStrategy"] == "Halted"
    assert cluster.refusal(lifecycle.STOP) == (
        409, on_vm("Halted only supports manual stop requests with a shorter graceperiod"),
    )  # fmt: skip
    cluster.clock.advance(60)
    assert cluster.vmi() is None


def test_manual_vms_are_started_stopped_and_restarted_by_request(cluster):
    cluster.start(strategy="Manual")
    assert cluster.refusal(lifecycle.RESTART) == (409, on_vm("VM is not running: Halted"))
    cluster.act(lifecycle.START, paused=True)
    assert cluster.vm()["status"]["stateChangeRequests"] == [{"action": "Start", "data": {"paused": "true"}}]
    assert cluster.refusal(lifecycle.START) == (
        500, "Internal error occurred: unable to complete request: stop/start already underway",
    )  # fmt: skip
    cluster.clock.advance(80)
    assert cluster.vm()["status"]["printableStatus"] == "Paused"
    first = cluster.vmi()["metadata"]["uid"]
    cluster.act(lifecycle.RESTART)
    cluster.clock.advance(200)
    assert cluster.vmi()["metadata"]["uid"] != first
    cluster.act(lifecycle.STOP)
    cluster.clock.advance(60)
    assert cluster.vmi() is None
    assert cluster.vm()["spec"]["runStrategy"] == "Manual"


def test_always_does_not_start_by_hand_but_restarts_with_force(cluster):
    cluster.start()
    first = cluster.vmi()["metadata"]["uid"]
    assert cluster.refusal(lifecycle.RESTART, gracePeriodSeconds=5) == (
        400, "For force restart, only gracePeriod=0 is supported for now",
    )  # fmt: skip
    cluster.act(lifecycle.RESTART, gracePeriodSeconds=0)
    assert cluster.vmi()["spec"]["terminationGracePeriodSeconds"] == 1
    cluster.clock.advance(120)
    assert cluster.vmi()["metadata"]["uid"] != first
    cluster.api.delete(VMI, "qa", "vm1", caller=ADMIN)
    cluster.clock.advance(20)


def test_a_dry_run_changes_nothing(cluster):
    cluster.start(strategy="Halted")
    cluster.act(lifecycle.START, dryRun=["All"])
    assert cluster.vm()["spec"]["runStrategy"] == "Halted"


def test_a_body_that_is_no_object_is_refused(cluster):
    with pytest.raises(ApiError, match="Can not unmarshal Request body to struct") as refused:
        cluster.actions.ask("qa", "vm1", b"[1]")
    assert refused.value.code == 400


def test_pause_and_unpause(cluster):
    cluster.start()
    assert cluster.refusal(instances.UNPAUSE) == (409, on_vmi("VMI is not paused"))
    cluster.act(instances.PAUSE)
    cluster.clock.advance(1)
    assert cluster.domain().user_paused
    assert cluster.refusal(instances.PAUSE) == (409, on_vmi("VMI is already paused"))
    assert cluster.refusal(instances.SOFT_REBOOT) == (409, on_vmi("VMI is paused"))
    cluster.act(instances.UNPAUSE)
    cluster.clock.advance(1)
    assert cluster.domain().running
    assert cluster.condition("Paused") is None


def test_a_vmi_that_does_not_run_cannot_be_paused(cluster):
    cluster.api.create(VM, vm(), caller=ADMIN)
    cluster.clock.advance(1)
    assert cluster.refusal(instances.PAUSE) == (409, on_vmi("VM is not running"))
    assert cluster.refusal(instances.UNPAUSE) == (409, on_vmi("VMI is not running"))
    assert cluster.refusal(instances.PAUSE, "none") == (404, 'virtualmachineinstance.kubevirt.io "none" not found')


def test_a_soft_reboot_reboots_the_guest_and_nothing_else(cluster):
    cluster.start()
    uid = cluster.vmi()["metadata"]["uid"]
    cluster.act(instances.SOFT_REBOOT)
    cluster.clock.advance(30)
    assert cluster.guests.made[0].calls[-1] == "reboot"
    assert cluster.vmi()["metadata"]["uid"] == uid


def test_migrate_creates_a_migration_and_wraps_a_denial():
    cluster = Acting(configuration=configured((VGPU_LIVE_MIGRATION,))).start()
    cluster.act(lifecycle.MIGRATE, addedNodeSelector={"a": "b"})
    (migration,) = cluster.api.list(VMIM, "qa")
    assert migration["metadata"]["name"].startswith("kubevirt-migrate-vm-")
    assert migration["spec"] == {"vmiName": "vm1", "addedNodeSelector": {"a": "b"}}


def test_migrate_needs_a_running_vmi(cluster):
    cluster.api.create(VM, vm(strategy="Halted"), caller=ADMIN)
    cluster.clock.advance(2)
    assert cluster.refusal(lifecycle.MIGRATE) == (404, 'virtualmachineinstance.kubevirt.io "vm1" not found')
    cluster.act(lifecycle.START)
    cluster.clock.advance(2)
    assert cluster.refusal(lifecycle.MIGRATE) == (409, on_vm("VM is not running"))


def test_cancelling_an_evacuation(cluster):
    cluster.start()
    controller = cluster.world.callers.controller
    cluster.act(instances.EVACUATE_CANCEL, evacuationNodeName="anything")
    cluster.api.patch(VMI, "qa", "vm1", {"status": {"evacuationNodeName": "gpu-1"}}, caller=controller)
    cluster.clock.advance(1)
    assert cluster.condition("EvictionRequested")["message"] == "VMI is marked for eviction"
    assert cluster.refusal(instances.EVACUATE_CANCEL, evacuationNodeName="other")[0] == 500
    cluster.act(instances.EVACUATE_CANCEL, evacuationNodeName="gpu-1")
    cluster.clock.advance(1)
    assert "evacuationNodeName" not in cluster.vmi()["status"]
    assert cluster.condition("EvictionRequested") is None


def test_guest_information_needs_a_connected_agent(cluster):
    cluster.api.create(VM, vm(), caller=ADMIN)
    cluster.clock.advance(1)
    with pytest.raises(ApiError, match="VMI is not running"):
        information.check(cluster.actions.ask("qa", "vm1"))
    cluster.clock.advance(25)
    with pytest.raises(ApiError, match="VMI does not have guest agent connected"):
        information.check(cluster.actions.ask("qa", "vm1"))
    cluster.clock.advance(60)
    information.check(cluster.actions.ask("qa", "vm1"))
    shown = information.guest_os_info(cluster.guests.agent(cluster.domain().guest))
    assert shown["os"]["name"] == "Fedora Linux"
