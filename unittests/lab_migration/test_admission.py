"""Who may ask for which migration, with which words it is refused (kubevirt sheet §4.2)."""

import pytest

from lab.apiserver.errors import ApiError
from lab.kubevirt.kinds import VMI, VMIM
from unittests.lab_migration.bed import USER, Bed

PREFIX = 'admission webhook "migration-create-validator.kubevirt.io" denied the request: '
GATE_OFF = "VMI specifies a GPU but feature gate VGPULiveMigration is not enabled"


@pytest.fixture
def bed():
    """A bed with one vGPU VMI."""
    bed = Bed()
    bed.vmi()
    return bed


def refusal(bed, spec=None, name="move"):
    """The error with which a VMIM is refused."""
    wanted = {"metadata": {"name": name, "namespace": "default"}, "spec": {"vmiName": "vm"} if spec is None else spec}
    with pytest.raises(ApiError) as caught:
        bed.api.create(VMIM, wanted, caller=USER)
    return caught.value


def condition(bed, **fields):
    """Give the VMI this LiveMigratable condition."""
    bed.api.patch(VMI, "default", "vm", {"status": {"conditions": [{"type": "LiveMigratable", **fields}]}})


def test_no_vmi_named(bed):
    error = refusal(bed, {})
    assert (error.code, error.reason, error.message) == (422, "Invalid", PREFIX + "vmiName is missing")
    assert error.details["causes"] == [
        {"reason": "FieldValueRequired", "message": "vmiName is missing", "field": "spec.vmiName"}
    ]


def test_priority_is_for_the_controller(bed):
    error = refusal(bed, {"vmiName": "vm", "priority": "user-triggered"})
    assert error.code == 422
    assert error.details["causes"] == [
        {
            "reason": "FieldValueForbidden",
            "message": "Migration priority queue, only virt-controller is allowed to set priority field",
            "field": "spec.migrationPriority",
        }
    ]
    assert bed.migrate(priority="system-critical")["spec"]["priority"] == "system-critical"


def test_no_such_vmi(bed):
    error = refusal(bed, {"vmiName": "other"})
    assert (error.code, error.reason) == (400, "BadRequest")
    assert error.message == PREFIX + 'the VMI "default/other" does not exist'


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_vmi_that_has_ended(bed, phase):
    bed.api.patch(VMI, "default", "vm", {"status": {"phase": phase}})
    assert refusal(bed).message == PREFIX + "Cannot migrate VMI in finalized state."


def test_a_vmi_that_says_it_is_not_migratable(bed):
    condition(bed, status="False", reason="HostDeviceNotLiveMigratable", message=GATE_OFF)
    error = refusal(bed)
    assert error.code == 400
    assert error.message == PREFIX + f"Cannot migrate VMI, Reason: HostDeviceNotLiveMigratable, Message: {GATE_OFF}"


def test_the_condition_counts_and_not_the_gate(bed):
    bed.configure(developerConfiguration={"featureGates": []})
    assert bed.migrate()["metadata"]["name"] == "move"


def test_without_a_condition_it_is_allowed(bed):
    bed.api.patch(VMI, "default", "vm", {"status": {"conditions": []}})
    assert bed.migrate()["metadata"]["name"] == "move"


def test_a_paused_vmi_is_allowed(bed):
    paused = [{"type": "Paused", "status": "True", "reason": "PausedByUser"}]
    bed.api.patch(VMI, "default", "vm", {"status": {"conditions": paused}})
    assert bed.migrate()["metadata"]["name"] == "move"


def test_one_at_a_time(bed):
    uid = bed.migrate()["metadata"]["uid"]
    error = refusal(bed, name="second")
    assert error.code == 400
    assert error.message == PREFIX + (
        f"in-flight migration detected. Active migration job ({uid}) is currently already in progress for VMI vm."
    )


def test_another_after_the_first_is_final(bed):
    bed.migrate()
    bed.to_running()
    bed.until("Succeeded")
    assert bed.migrate(name="second")["metadata"]["name"] == "second"


def test_decentralized_migrations(bed):
    error = refusal(bed, {"vmiName": "vm", "sendTo": {"migrationID": "x"}})
    assert error.message == PREFIX + "DecentralizedLiveMigration feature gate is not enabled in kubevirt resource"
    bed.configure(developerConfiguration={"featureGates": ["DecentralizedLiveMigration"]})
    assert refusal(bed, {"vmiName": "vm", "receive": {"migrationID": "x"}}).code == 501


def test_nobody_relabels_or_respecifies_one_in_flight(bed):
    bed.migrate()
    bed.clock.advance(0.2)
    prefix = 'admission webhook "migration-update-validator.kubevirt.io" denied the request: '
    for patch, text in (
        ({"spec": {"vmiName": "other"}}, "update of Migration object's spec is restricted"),
        (
            {"metadata": {"labels": {"kubevirt.io/vmi-name": "other"}}},
            "selector label can't be modified on an in-flight migration",
        ),
        ({"metadata": {"labels": None}}, "selector label can't be removed from an in-flight migration"),
    ):
        with pytest.raises(ApiError) as caught:
            bed.api.patch(VMIM, "default", "move", patch, caller=USER)
        assert (caught.value.code, caught.value.message) == (422, prefix + text)
    bed.api.patch(VMIM, "default", "move", {"metadata": {"labels": {"mine": "x"}}}, caller=USER)


def test_a_final_one_may_be_relabelled(bed):
    bed.migrate()
    bed.to_running()
    bed.until("Succeeded")
    bed.clock.advance(1)
    bed.api.patch(VMIM, "default", "move", {"metadata": {"labels": {"kubevirt.io/vmi-name": None}}}, caller=USER)
