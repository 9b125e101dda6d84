"""The stage: hypervisors and slots that no machine stands behind, one for each case; sizes in GiB of memory.

Every candidate but those that are to get the boost is a host that falls short in exactly one way.
"""

import uuid
from dataclasses import dataclass, field

from utilities.cortex.objects import Host, Owner, Slot

SOURCE_SLOT = 16
COMMITTED, ORDINARY, EXPECTED, CONFIRMED, UNREADY, UNSPECIFIED, WEIGHTLESS = VMS = (
    "committed", "ordinary", "expected", "confirmed", "unready", "unspecified", "weightless",
)  # fmt: skip
"""VMs by the slot they are in: a sound one, none, one that expects it only, one that confirms it only, broken ones."""
NEIGHBOUR, HALF, FILLING = "neighbour", "half", "filling"
"""VMs that fill slots of candidates."""


@dataclass(frozen=True)
class Stage:
    """prefix: what all names begin with. mine: whose slots the VMs may use; foreign: of another group; strange: of
    another project; others: of another project and group.
    """

    prefix: str
    mine: Owner
    foreign: Owner
    strange: Owner
    others: Owner
    ids: dict = field(default_factory=lambda: {vm: str(uuid.uuid4()) for vm in (*VMS, NEIGHBOUR, HALF, FILLING)})

    def named(self, short):
        """A full name."""
        return f"{self.prefix}{short}"

    def host(self, short, effective, **told):
        """A hypervisor."""
        vms = tuple(self.ids[vm] for vm in told.pop("vms", ()))
        return Host(self.named(short), effective, vms=vms, **told)

    def slot(self, short, on, size, owner=None, **told):
        """A slot on a hypervisor, with VMs by their short names."""
        expected = {self.ids[vm]: memory for vm, memory in told.pop("expected", {}).items()}
        confirmed = tuple(self.ids[vm] for vm in told.pop("confirmed", ()))
        told |= {"host": self.named(told["host"])} if "host" in told else {}
        return Slot(
            self.named(short), owner or self.mine, self.named(on), size, expected=expected, confirmed=confirmed, **told
        )

    @property
    def notes(self):
        """What is on each hypervisor, in words, by full name."""
        return {host.name: "; ".join([_size(host), *self._slots_on(host.name)]) for host in self.hosts}

    def about(self, vm):
        """Which slots know a VM, in words."""
        held = [slot for slot in self.slots if self.ids[vm] in {*slot.expected, *slot.confirmed}]
        return "; ".join(_knowing(slot, self.ids[vm]) for slot in held) or "in no slot"

    def _slots_on(self, name):
        return [self._words(slot, name) for slot in self.slots if name in (slot.target, slot.host)]

    def _words(self, slot, name):
        whose = {
            self.mine: "slot",
            self.foreign: "slot of another group",
            self.strange: "slot of another project",
            self.others: "slot of others",
        }
        used = sum(slot.expected.values())
        state = "" if slot.ready else ", not Ready"
        leaving = ", on its way elsewhere" if name != slot.target else ""
        return f"{whose[slot.owner]} {slot.size or 0} GiB{f', {used} taken' if used else ''}{state}{leaving}"

    @property
    def hosts(self):
        """All of them."""
        return (
            self.host("source", 64, allocation=52, vms=(COMMITTED,)),
            self.host("odd-source", 128, allocation=64, vms=(CONFIRMED, UNREADY, UNSPECIFIED, WEIGHTLESS)),
            self.host("slot", 32),
            self.host("small-slot", 12),
            self.host("bare", 8),
            self.host("room", 32),
            self.host("exact-room", 16),
            self.host("tight-room", 15),
            self.host("exact-slot", 72, allocation=32, vms=(NEIGHBOUR,)),
            self.host("overfill", 64, allocation=40, vms=(HALF,)),
            self.host("halves", 12),
            self.host("second-slot", 40),
            self.host("filled", 20, allocation=8, vms=(FILLING,)),
            self.host("other-group", 12),
            self.host("other-project", 12),
            self.host("crowded", 48, allocation=16),
            self.host("crowded-room", 48),
            self.host("unready", 12),
            self.host("unready-room", 24),
            self.host("arriving", 32),
            self.host("leaving", 12),
            self.host("overcommitted", 40, capacity=64, allocation=30),
            self.host("capacity-only", None, capacity=48, allocation=20),
            self.host("small-room", 12),
            self.host("full-with-slot", 128, allocation=64),
            self.host("half-full", 128, allocation=48),
            self.host("empty", 128, allocation=8),
        )

    @property
    def slots(self):
        """All of them; a slot is called like its host."""
        return (
            self.slot("source", "source", SOURCE_SLOT, expected={COMMITTED: 16}, confirmed=(COMMITTED,)),
            self.slot("odd-expected", "odd-source", SOURCE_SLOT, expected={EXPECTED: 16}, early=True),
            self.slot("odd-confirmed", "odd-source", SOURCE_SLOT, confirmed=(CONFIRMED,)),
            self.slot(
                "odd-unready", "odd-source", SOURCE_SLOT, expected={UNREADY: 16}, confirmed=(UNREADY,), ready=False
            ),
            self.slot("odd-unspecified", "odd-source", SOURCE_SLOT, confirmed=(UNSPECIFIED,), specified=False),
            self.slot("odd-weightless", "odd-source", None, expected={WEIGHTLESS: 16}, confirmed=(WEIGHTLESS,)),
            self.slot("slot", "slot", 24),
            self.slot("small-slot", "small-slot", 8),
            self.slot("exact-slot", "exact-slot", 32, expected={NEIGHBOUR: 16}, confirmed=(NEIGHBOUR,)),
            self.slot("overfill", "overfill", 12, expected={HALF: 4}, confirmed=(HALF,)),
            self.slot("halves-1", "halves", 10),
            self.slot("halves-2", "halves", 10),
            self.slot("second-slot-1", "second-slot", 8),
            self.slot("second-slot-2", "second-slot", 24),
            self.slot("filled", "filled", 20, expected={FILLING: 8}, confirmed=(FILLING,)),
            self.slot("other-group", "other-group", 24, self.foreign),
            self.slot("other-project", "other-project", 24, self.strange),
            self.slot("crowded", "crowded", 24, self.others),
            self.slot("crowded-room", "crowded-room", 16, self.others),
            self.slot("unready", "unready", 24, ready=False),
            self.slot("unready-room", "unready-room", 16, ready=False),
            self.slot("transit", "arriving", 24, host="leaving"),
            self.slot("full-with-slot", "full-with-slot", 24),
            self.slot("half-full", "half-full", 72, self.others),
            self.slot("empty", "empty", 112, self.others),
        )


def _size(host):
    told = "capacity only, " if host.effective is None else ""
    beside = f" (capacity {host.capacity})" if None not in (host.effective, host.capacity) else ""
    size = host.capacity if host.effective is None else host.effective
    return f"{told}{size} GiB{beside}, {host.allocation} taken by VMs"


def _knowing(slot, vm):
    how = "confirmed" if vm in slot.confirmed else "expected and not confirmed"
    state = "" if slot.ready else ", not Ready"
    part = "" if slot.specified else ", without its part of the specification"
    return f"{how} in a slot of {slot.size or 0} GiB{state}{part}"
