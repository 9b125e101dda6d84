"""The controller of CommittedResources: cuts a commitment into slots, and accepts it once all of them are Ready.

States and reasons: cortex sheet §1.2. Commitments of cores make no slots, they are accepted against a capacity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from lab.apiserver.builtin.conditions import condition
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.clock import parse_timestamp
from lab.controllers.answers import answer, says
from lab.controllers.decisions import Row, Table
from lab.cortex.flavor_groups import GroupsUnknownError, flavor_groups
from lab.cortex.kinds import COMMITTED_RESOURCE, FLAVOR_GROUP_CAPACITY, RESERVATION
from lab.cortex.reservations.cores import headroom
from lab.cortex.reservations.desk import Desk, part_of
from lab.cortex.reservations.promised import ACTIVE, UUID, Commitment
from lab.cortex.reservations.sizes import Promise, plan
from lab.cortex.reservations.summary import WAITING, summary
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.workers import Done, Names, itself

Json = Mapping[str, Any]
NAME = "committed-resource"
_MALFORMED = "unexpected commitment format"
_PATIENCE = 1800.0  # product seconds of Reserving after which changes of slots are not looked at any more
_SHORT = 1.0  # product seconds: a caller of the API waits
_DOUBLINGS = 6


class Step(StrEnum):
    """What one reconcile does with a commitment."""

    NOTHING = "nothing"
    PLANNED = "say that it has not begun"
    RELEASE = "give up its slots"
    CORES = "hold it against the capacity"
    ROLL_BACK = "keep the slots of what was accepted"
    REJECT = "say that it is no commitment"
    RESERVE = "hold slots for it"


def _state(*states: str) -> Callable[[Commitment], bool]:
    return lambda commitment: commitment.in_state(*states)


def _cores(commitment: Commitment) -> bool:
    return commitment.in_state("pending", *ACTIVE) and commitment.spec["resourceType"] == "cores"


STEPS: Table[Commitment] = Table(
    "cortex-commitments",
    (
        Row("being deleted", lambda c: bool(c.obj["metadata"].get("deletionTimestamp")), says(Step.NOTHING)),
        Row("its end has passed", lambda c: c.over, says(Step.RELEASE)),
        Row("planned", _state("planned"), says(Step.PLANNED)),
        Row("over", _state("superseded", "expired"), says(Step.RELEASE)),
        Row("rejected before: cores", lambda c: _cores(c) and c.rejected, says(Step.NOTHING)),
        Row("cores", _cores, says(Step.CORES)),
        Row("rejected before: pending", lambda c: c.in_state("pending") and c.rejected, says(Step.NOTHING)),
        Row("rejected before", lambda c: c.in_state(*ACTIVE) and c.rejected, says(Step.ROLL_BACK)),
        Row("malformed", lambda c: c.in_state(*ACTIVE) and not c.well_formed, says(Step.REJECT)),
        Row("in force, or about to be", _state("pending", *ACTIVE), says(Step.RESERVE)),
        Row("unknown", lambda _: True, says(Step.NOTHING)),
    ),
)
"""Answers a Step."""


class RefusedError(Exception):
    """The slots cannot be as the spec wants them; the text is the product's error."""


class CommitmentController:
    """Follows CommittedResources, and the slots that are theirs."""

    name = NAME

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Its own kind, and every slot for the commitment it belongs to."""
        return {COMMITTED_RESOURCE: itself, RESERVATION: self._parents}

    def reconcile(self, name: str) -> Talk[Done]:
        """Bring one commitment forward."""
        yield from ()
        obj = self._desk.api.find(COMMITTED_RESOURCE, "", name)
        if obj is None or not self._desk.alive():
            return Done()
        commitment = Commitment(obj, self._desk.api.clock.now())
        step = answer(self._desk.faults.ahead_of(STEPS), commitment)
        if step is Step.PLANNED:
            self._say(commitment, "Planned", "commitment is not yet active")
        elif step is Step.RELEASE:
            self._release(commitment.spec)
            self._say(commitment, str(commitment.spec["state"]), "commitment is no longer active")
        elif step is Step.CORES:
            return self._cores(commitment)
        elif step is Step.REJECT:
            self._say(commitment, "Rejected", _MALFORMED)
        elif step is Step.ROLL_BACK:
            self._roll_back(commitment)
        elif step is Step.RESERVE:
            return self._reserve(commitment)
        return Done()

    def _reserve(self, commitment: Commitment) -> Done:
        try:
            total = self._apply(commitment.name, commitment.spec, commitment.generation, commitment.may_reject)
        except RefusedError as error:
            return self._fail(commitment, str(error))
        slots = self._slots(commitment.spec)
        current = [slot for slot in slots if _observed(slot) == commitment.generation]
        conditions = [condition(slot.get("status") or {}, "Ready") or {} for slot in current]
        ready = sum(each.get("status") == "True" for each in conditions)
        if any(each.get("status") == "False" for each in conditions):
            return self._fail(commitment, f"insufficient capacity: {ready}/{total} reservation slots could be placed")
        if ready == len(slots):
            self._accept(commitment)
        else:
            self._say(commitment, "Reserving", WAITING, anew=True)
        return Done()

    def _apply(self, name: str, spec: Json, generation: int, limited: bool) -> int:
        """Make the slots what a spec wants; returns how many there are then. Raises RefusedError."""
        desk = self._desk
        if not UUID.fullmatch(spec["commitmentUUID"]):
            raise RefusedError(f"invalid commitment spec: {_MALFORMED}")
        try:
            groups = {group.name: group for group in flavor_groups(desk.api)}
        except GroupsUnknownError as error:
            raise RefusedError(f"flavor knowledge not ready: {error}") from error
        group = groups.get(spec["flavorGroupName"])
        if group is None or not group.flavors:
            why = "flavor group not found: {}" if group is None else "flavor group {} has no flavors"
            raise RefusedError(why.format(spec["flavorGroupName"]))
        planned = plan(Promise.of(name, spec, generation), self._slots(spec), group)
        most = desk.settings.max_slots if limited else 0
        if most and len(planned.made) > most:
            what = f"commitment would create {len(planned.made)} new reservation slots"
            raise RefusedError(f"{what}, exceeds limit of {most}")
        for gone in planned.removed:
            desk.delete(RESERVATION, gone)
        for made in planned.made:
            desk.api.create(RESERVATION, made, caller=desk.caller)
        for slot, patch in planned.patched.items():
            desk.patch(RESERVATION, slot, {"spec": patch})
        return planned.total

    def _fail(self, commitment: Commitment, why: str) -> Done:
        """Say no where somebody waits for an answer; otherwise try again, later each time."""
        if commitment.may_reject:
            if commitment.spec["state"] == "pending":
                self._release(commitment.spec)
            else:
                self._roll_back(commitment)
            self._say(commitment, "Rejected", why)
            return Done()
        self._say(commitment, "Reserving", why)
        return Done(after=self._delay(commitment))

    def _delay(self, commitment: Commitment) -> float:
        """Doubled for as long as it has been Reserving."""
        settings, ready = self._desk.settings, commitment.ready
        base = settings.commitment_retry
        if ready.get("reason") != "Reserving":
            return base
        elapsed, doublings, step = commitment.now - parse_timestamp(ready["lastTransitionTime"]), 0, base
        while elapsed >= step and doublings < _DOUBLINGS:
            step *= 2
            doublings += 1
        delay = float(base * 2**doublings)
        return min(delay, settings.commitment_longest) if settings.commitment_longest else delay

    def _roll_back(self, commitment: Commitment) -> None:
        """The slots of the spec that was accepted last; none if that never happened, or they cannot be made."""
        accepted = commitment.status.get("acceptedSpec")
        if accepted is None:
            self._release(commitment.spec)
            return
        try:
            self._apply(commitment.name, accepted, commitment.generation, limited=False)
        except RefusedError:
            self._release(commitment.spec)

    def _release(self, spec: Json) -> None:
        for slot in self._slots(spec):
            self._desk.delete(RESERVATION, slot["metadata"]["name"])

    def _slots(self, spec: Json) -> Sequence[Json]:
        return self._desk.by_commitment.of(spec["commitmentUUID"])

    def _cores(self, commitment: Commitment) -> Done:
        """No slots are made: what is promised altogether has to be there."""
        free = headroom(commitment, self._desk.stored(FLAVOR_GROUP_CAPACITY), self._desk.stored(COMMITTED_RESOURCE))
        if isinstance(free, str):
            self._say(commitment, "Reserving", free)
            return Done(after=_SHORT if commitment.may_reject else self._delay(commitment))
        if free.left >= free.wanted:
            self._accept(commitment)
            return Done()
        why = f"insufficient CPU cores: {free.left} available, {free.wanted} requested"
        self._say(commitment, "Rejected" if commitment.may_reject else "Reserving", why)
        return Done() if commitment.may_reject else Done(after=self._delay(commitment))

    def _accept(self, commitment: Commitment) -> None:
        ready = commitment.ready
        said = (ready.get("status"), ready.get("reason"), ready.get("observedGeneration"))
        if said == ("True", "Accepted", commitment.generation):
            return
        before: Json = commitment.status.get("acceptedSpec") or {}
        now = self._desk.api.clock.stamp()
        accepted = {**dict.fromkeys(before), **commitment.spec}
        self._write(
            commitment, "True", "Accepted", "commitment successfully reserved", now,
            {"acceptedSpec": accepted, "acceptedAt": now},
        )  # fmt: skip

    def _say(self, commitment: Commitment, reason: str, message: str, *, anew: bool = False) -> None:
        """Not ready. Its time moves with the reason: retries count from it. anew: it moves in any case."""
        ready, now = commitment.ready, self._desk.api.clock.stamp()
        same = (ready.get("status"), ready.get("reason")) == ("False", reason) and not anew
        self._write(commitment, "False", reason, message, ready["lastTransitionTime"] if same else now, {})

    def _write(self, commitment: Commitment, value: str, reason: str, message: str, since: str, more: Json) -> None:
        new = {
            "type": "Ready", "status": value, "reason": reason, "message": message, "lastTransitionTime": since,
            "observedGeneration": commitment.generation,
        }  # fmt: skip
        others = [each for each in commitment.status.get("conditions") or () if each["type"] != "Ready"]
        status: Json = {"conditions": [*others, new], **more}
        accepted = commitment.spec if "acceptedSpec" in more else commitment.status.get("acceptedSpec")
        line = summary(commitment.spec, {**commitment.status, **status, "acceptedSpec": accepted}, commitment.now)
        self._desk.patch_status(COMMITTED_RESOURCE, commitment.name, {**status, "statusSummary": line})

    def _parents(self, change: Change) -> Iterable[str]:
        """The commitment of a slot, unless that has been Reserving for so long that only its timer counts."""
        part, now = part_of(change.new.obj), self._desk.api.clock.now()
        for obj in self._desk.stored(COMMITTED_RESOURCE):
            if part.get("commitmentUUID") == obj["spec"]["commitmentUUID"]:
                commitment = Commitment(obj, now)
                current = part.get("parentGeneration") == commitment.generation
                return () if current and (commitment.reserving or 0.0) > _PATIENCE else (commitment.name,)
        return ()


def _observed(slot: Json) -> int:
    part = (slot.get("status") or {}).get("committedResourceReservation") or {}
    return int(part.get("observedParentGeneration") or 0)
