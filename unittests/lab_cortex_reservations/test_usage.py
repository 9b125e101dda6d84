"""Usage of commitments: which VMs they cover, written at once and then at most each five minutes (sheet §1.2)."""

from lab.cortex.flavor_groups import FlavorGroup, GroupFlavor
from lab.cortex.kinds import COMMITTED_RESOURCE
from lab.cortex.reservations.promised import Commitment
from lab.cortex.reservations.usage import assign
from lab.cortex.reservations.vms import Vm
from unittests.lab_cortex_reservations.region import Flavor, Slots

GI = 2**30
GROUPS = (FlavorGroup("g", (GroupFlavor("m", 4, 16 * GI), GroupFlavor("s", 2, 8 * GI))),)


def vm(name, flavor="s", created=0.0, zone="az-1"):
    sizes = {"s": (8, 2), "m": (16, 4), "other": (8, 2)}
    return Vm(name, "p", flavor, zone, sizes[flavor][0] * GI, sizes[flavor][1], created)


def commitment(uuid, amount, now=0.0, **spec):
    said = {"commitmentUUID": uuid, "amount": f"{amount}Gi", "flavorGroupName": "g", "availabilityZone": "az-1",
            "resourceType": "memory", "state": "confirmed", "projectID": "p", **spec}  # fmt: skip
    return Commitment({"metadata": {"name": uuid}, "spec": said, "status": {"acceptedSpec": said}}, now)


def covered(vms, *commitments):
    found = assign(vms, commitments, GROUPS)
    return {cover.commitment.name: (cover.vms, (cover.memory - cover.left) // GI, cover.vcpus) for cover in found}


def test_the_oldest_vm_takes_the_oldest_commitment():
    vms = [vm("young", created=2.0), vm("old", created=1.0)]
    first = commitment("uuid-1", 8, startTime="2025-01-01T00:00:00Z", now=1e10)
    second = commitment("uuid-2", 8, startTime="2025-01-02T00:00:00Z", now=1e10)
    assert covered(vms, second, first) == {"uuid-1": (["old"], 8, 2), "uuid-2": (["young"], 8, 2)}


def test_what_does_not_fit_goes_on_to_the_next_and_the_rest_is_paid():
    vms = [vm("big", "m", 1.0), vm("small", "s", 2.0), vm("more", "s", 3.0)]
    assert covered(vms, commitment("uuid-1", 16), commitment("uuid-2", 8)) == {
        "uuid-1": (["big"], 16, 4), "uuid-2": (["small"], 8, 2),
    }  # fmt: skip


def test_groups_zones_and_times_have_to_match():
    vms = [vm("a", zone="az-2"), vm("b", "other")]
    assert covered(vms, commitment("uuid-1", 64)) == {"uuid-1": ([], 0, 0)}
    over = commitment("uuid-1", 64, now=1e10, endTime="2026-01-01T00:00:00Z")
    early = commitment("uuid-2", 64, startTime="2026-01-01T00:00:00Z")
    assert covered([vm("a")], over, early) == {}
    assert covered([vm("a")], commitment("uuid-3", 64, resourceType="cores")) == {"uuid-3": ([], 0, 0)}


class Used(Slots):
    def __init__(self):
        super().__init__(vms=2, flavors=(Flavor("m1.medium", 2, 4096), Flavor("m1.xlarge", 8, 16384)))
        project = self.vm("vm-1").project_id
        self.commitment("commitment-a", amount=16, projectID=project)
        self.clock.advance(3)

    @property
    def used(self):
        status = self.api.get(COMMITTED_RESOURCE, "", "commitment-a")["status"]
        return status.get("assignedInstances"), status.get("usedResources"), status["statusSummary"]


def test_usage_is_written_once_a_commitment_is_accepted_and_follows_after_the_cooldown():
    region = Used()
    names = [region.vm("vm-1").id, region.vm("vm-2").id]
    assert region.used == (names, {"memory": "8Gi", "cpu": "4"}, "Accepted · 2 VMs · no expiry")
    region.cloud.verbs.delete(region.vm("vm-1"), region.caller)
    region.clock.advance(60)
    assert region.used[0] == names
    region.clock.advance(300)
    assert region.used[:2] == (names[1:], {"memory": "4Gi", "cpu": "2"})


def test_usage_goes_with_the_commitment():
    region = Used()
    region.api.patch(COMMITTED_RESOURCE, "", "commitment-a", {"spec": {"state": "expired"}})
    region.clock.advance(400)
    assert region.used[:2] == (None, None)
