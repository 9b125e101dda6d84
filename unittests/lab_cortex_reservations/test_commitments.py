"""The controller of CommittedResources: states, reasons, slots, and how long it waits (cortex sheet §1.2)."""

import itertools

import pytest

from lab.cortex.kinds import COMMITTED_RESOURCE, FLAVOR_GROUP_CAPACITY, RESERVATION
from lab.cortex.reservations.settings import Settings
from lab.cortex.reservations.summary import summary
from unittests.lab_cortex_reservations.region import GROUP, Slots

NAME = "commitment-a"


class Promised(Slots):
    def promise(self, amount=48, **spec):
        self.commitment(NAME, amount, **spec)
        self.clock.advance(3)

    def change(self, **spec):
        self.api.patch(COMMITTED_RESOURCE, "", NAME, {"spec": spec})
        self.clock.advance(3)

    @property
    def status(self):
        return self.api.get(COMMITTED_RESOURCE, "", NAME).get("status") or {}

    @property
    def said(self):
        found = self.status.get("conditions") or [{}]
        return found[0].get("status"), found[0].get("reason"), found[0].get("message")

    @property
    def names(self):
        return [snapshot.name for snapshot in self.api.store.scan(RESERVATION.key)]


def spread(document):
    return ["hv-1" if document["spec"]["nova_object.data"]["instance_uuid"].endswith("0") else "hv-2"]


@pytest.mark.parametrize("state", ["pending", "guaranteed", "confirmed"])
def test_a_commitment_is_accepted_when_its_slots_are_ready(state):
    region = Promised(says=spread)
    region.promise(state=state)
    assert region.names == [f"{NAME}-0", f"{NAME}-1"]
    assert [region.place(name) for name in region.names] == [("hv-1", "hv-1"), ("hv-2", "hv-2")]
    assert region.said == ("True", "Accepted", "commitment successfully reserved")
    assert region.status["acceptedSpec"]["amount"] == "48Gi"
    assert region.status["statusSummary"] == "Accepted · 0 VMs · no expiry"
    assert region.status["conditions"][0]["observedGeneration"] == 1
    part = region.reservation(f"{NAME}-0")["status"]["committedResourceReservation"]
    assert part["observedParentGeneration"] == 1


@pytest.mark.parametrize(
    ("state", "reason", "message"),
    [
        ("planned", "Planned", "commitment is not yet active"),
        ("superseded", "superseded", "commitment is no longer active"),
        ("expired", "expired", "commitment is no longer active"),
    ],
)
def test_other_states_hold_nothing(state, reason, message):
    region = Promised()
    region.promise()
    region.change(state=state)
    assert region.said == ("False", reason, message)
    if state != "planned":
        assert region.names == []


def test_the_end_counts_whatever_the_state_says():
    region = Promised()
    region.promise(endTime="2025-12-31T00:00:00Z")
    assert region.said[:2] == ("False", "confirmed")
    assert region.names == []


def test_more_and_less_change_the_slots_and_are_accepted_again():
    region = Promised()
    region.promise(32)
    region.change(amount="48Gi")
    assert region.names == [f"{NAME}-0", f"{NAME}-1"]
    assert region.status["acceptedSpec"]["amount"] == "48Gi"
    region.change(amount="16Gi")
    assert region.names == [f"{NAME}-1"]
    assert region.status["acceptedSpec"]["amount"] == "16Gi"


def test_a_slot_that_somebody_deletes_comes_back():
    region = Promised()
    region.promise(16)
    region.api.delete(RESERVATION, "", f"{NAME}-0")
    region.clock.advance(3)
    assert region.names == [f"{NAME}-0"]


def test_without_room_it_tries_again_later_each_time():
    region = Promised(says=lambda _: [])
    region.promise()
    assert region.said == ("False", "Reserving", "insufficient capacity: 0/2 reservation slots could be placed")
    region.says = lambda _: ["hv-2"]
    region.until(lambda: region.said[1] == "Accepted", within=1200)


def test_somebody_who_waits_is_told_no():
    region = Promised(says=lambda _: [])
    region.promise(state="pending", allowRejection=True)
    assert region.said[:2] == ("False", "Rejected")
    assert region.names == []
    region.clock.advance(600)
    assert region.said[:2] == ("False", "Rejected")


def test_a_rejected_change_keeps_what_was_accepted():
    region = Promised()
    region.promise(32, allowRejection=True)
    region.says = lambda _: []
    region.change(amount="64Gi")
    region.clock.advance(10)
    assert region.said[:2] == ("False", "Rejected")
    assert region.status["acceptedSpec"]["amount"] == "32Gi"
    assert region.names == [f"{NAME}-0"]
    assert region.place(f"{NAME}-0") == ("hv-2", "hv-2")


def test_a_limit_of_slots_holds_for_those_who_wait_only():
    region = Promised(settings=Settings(max_slots=1))
    region.promise(48, allowRejection=True)
    assert region.said == (
        "False", "Rejected", "commitment would create 2 new reservation slots, exceeds limit of 1",
    )  # fmt: skip
    other = Promised(settings=Settings(max_slots=1))
    other.promise(48)
    assert other.said[1] == "Accepted"


def test_unknown_groups_and_missing_knowledge_are_waited_for():
    region = Promised()
    region.promise(flavorGroupName="other")
    assert region.said == ("False", "Reserving", "flavor group not found: other")
    other = Promised(flavors=())
    other.promise()
    assert other.said[1] == "Reserving"
    assert other.said[2].startswith("flavor knowledge not ready: ")


def test_a_malformed_id_is_rejected():
    region = Promised()
    region.promise(commitmentUUID="a b")
    assert region.said == ("False", "Rejected", "unexpected commitment format")


def test_retries_of_a_commitment_double_up_to_half_an_hour():
    region = Promised(flavors=())
    changes = []
    region.api.listen(COMMITTED_RESOURCE, lambda _: changes.append(region.clock.now()))
    region.promise(flavorGroupName="other")
    seen = []
    logic = region.controllers._running[0]._logic
    apply = logic._apply

    def counted(*args, **kwargs):
        seen.append(region.clock.now())
        return apply(*args, **kwargs)

    logic._apply = counted
    region.clock.advance(20_000)
    gaps = [round(later - earlier) for earlier, later in itertools.pairwise(seen)]
    assert gaps[:4] == [120, 240, 480, 960]
    assert set(gaps[5:]) == {1800}


def capacity(region, cores):
    spec = {"flavorGroup": GROUP, "availabilityZone": "az-1"}
    region.api.create(FLAVOR_GROUP_CAPACITY, {"metadata": {"name": "c"}, "spec": spec})
    status = {"totalCapacity": {"cores": str(cores)}}
    region.api.patch(FLAVOR_GROUP_CAPACITY, "", "c", {"status": status}, subresource="status")


def test_cores_are_held_against_the_capacity_and_make_no_slots():
    region = Promised()
    capacity(region, 10)
    region.commitment("commitment-b", amount=1, commitmentUUID="uuid-other", resourceType="cores")
    region.api.patch(COMMITTED_RESOURCE, "", "commitment-b", {"spec": {"amount": "4"}})
    region.clock.advance(3)
    region.commitment(NAME, commitmentUUID="uuid-mine", resourceType="cores", allowRejection=True)
    region.api.patch(COMMITTED_RESOURCE, "", NAME, {"spec": {"amount": "7"}})
    region.clock.advance(3)
    assert region.said == ("False", "Rejected", "insufficient CPU cores: 6 available, 7 requested")
    region.change(amount="6")
    assert region.said[:2] == ("True", "Accepted")
    assert region.names == []


def test_cores_wait_for_a_capacity():
    region = Promised()
    region.promise(resourceType="cores")
    assert region.said == ("False", "Reserving", "waiting for capacity data")


@pytest.mark.parametrize(
    ("reason", "message", "spec", "status", "line"),
    [
        ("Accepted", "x", {}, {"assignedInstances": ["v"]}, "Accepted · 1 VM · no expiry"),
        ("Accepted", "", {"endTime": "2026-01-03T04:00:00Z"}, {}, "Accepted · 0 VMs · exp in 2d 4h"),
        ("Accepted", "", {"endTime": "2026-01-01T03:04:05Z"}, {}, "Accepted · 0 VMs · exp in 3h 4m"),
        ("Accepted", "", {"endTime": "2026-01-01T00:01:02Z"}, {}, "Accepted · 0 VMs · exp in 1m 2s"),
        ("Accepted", "", {"endTime": "2026-01-01T00:00:02Z"}, {}, "Accepted · 0 VMs · exp in 2s"),
        ("Reserving", "waiting for reservation placement", {}, {}, "Reserving · no expiry"),
        ("Reserving", "x" * 90, {}, {}, f"Reserving · {'x' * 77}... · no expiry"),
        ("Rejected", "no", {"endTime": "2026-01-01T00:00:02Z"}, {}, "Rejected · no"),
        ("Planned", "", {"endTime": "2025-01-01T00:00:02Z"}, {}, "Planned · expired"),
        (
            "Reserving", "", {"amount": "2Gi"},
            {"acceptedSpec": {"amount": "1Gi", "flavorGroupName": "f", "availabilityZone": "b", "resourceType": "t"}},
            "Reserving (amount 1Gi→2Gi; az b→a) · no expiry",
        ),
    ],
)  # fmt: skip
def test_the_summary_says_it_in_a_line(reason, message, spec, status, line):
    told = {"type": "Ready", "status": "True", "reason": reason, "message": message}
    wanted = {"amount": "1Gi", "flavorGroupName": "f", "availabilityZone": "a", "resourceType": "t", **spec}
    assert summary(wanted, {"conditions": [told], **status}, 1_767_225_600.0) == line
    assert summary(wanted, {}, 0.0) == ""
