"""VMs and VMIs over time: nodes, identities, statuses, conditions."""

from __future__ import annotations

from dataclasses import dataclass

from utilities.history.objects import VM, VMI, Obj, condition_of, dig
from utilities.history.recording import Recording, Step


@dataclass(frozen=True, slots=True)
class Condition:
    """What a condition said. An absent condition is None instead of one of these."""

    status: str
    reason: str
    message: str


def nodes(recording: Recording, vmi: str) -> tuple[Step, ...]:
    """Nodes a VMI was on, in order (value None while it had none). `vmi` is a uid or `namespace/name`."""
    return recording.steps(VMI, vmi, lambda obj: dig(obj, "status", "nodeName") or None)


def identities(recording: Recording, vmi: str) -> tuple[str, ...]:
    """Uids that existed under a VMI's name: more than one means that the guest was started anew."""
    found = dict.fromkeys(record.uid for record in recording.of_kind(VMI, vmi))
    recording.require_whole(VMI)
    return tuple(found)


def statuses(recording: Recording, vm: str) -> tuple[Step, ...]:
    """The printableStatus of a VM through the recording."""
    return recording.steps(VM, vm, lambda obj: dig(obj, "status", "printableStatus"))


def conditions(recording: Recording, kind: str, about: str, condition: str) -> tuple[Step, ...]:
    """A condition of an object over time; values are `Condition`, or None while absent."""

    def pick(obj: Obj) -> Condition | None:
        entry = condition_of(obj, condition)
        if entry is None:
            return None
        return Condition(str(entry.get("status")), entry.get("reason") or "", entry.get("message") or "")

    return recording.steps(kind, about, pick)
