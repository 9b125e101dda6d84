"""Watching committed VMs move: Nova, their slots and Hypervisors, from before the first request until all is calm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from utilities.cortex.blocking import Blocking, Place
from utilities.cortex.kinds import RESERVATIONS
from utilities.errors import ApiError, NotEnoughEvidence, WaitEnded
from utilities.evidence.sink import Sink
from utilities.history import Timeline
from utilities.history.nova import NovaRecording
from utilities.hypervisors.kinds import HYPERVISORS
from utilities.kubevirt.actor import Actor
from utilities.nova import Nova, Server
from utilities.nova.recording import nova_recording
from utilities.watching import Watched, recording
from utilities.watching.passing import let_pass

FOLLOWED = 120.0
"""Product seconds from the end of a migration for the slot to be where it will stay."""
_CALM = 2.0
"""Product seconds for the second of two writes."""
_MIB = 2**20
_BESIDE_A_JOURNAL = 0.25
"""Wall seconds between two looks at a lab's Nova, whose journal tells everything exactly at the end."""


@dataclass(frozen=True, slots=True)
class Committed:
    """A VM in a slot. ram: MiB of the VM; slot: name of its Reservation; size: GiB of it."""

    server: Server
    ram: int
    slot: str
    size: int


@dataclass(slots=True, repr=False)
class Moves:
    """What was seen; complete once its context has ended. beside: VMs without a slot. troubles: noted, to be judged."""

    actor: Actor
    nova: Nova
    vms: tuple[Committed, ...]
    beside: tuple[Server, ...] = ()
    troubles: list[ApiError | WaitEnded] = field(default_factory=list)
    end: dict[str, Server] = field(default_factory=dict)
    closed: tuple[Timeline, NovaRecording] | None = None

    def __repr__(self) -> str:
        """Short: it stands in messages of assertions, beside the story."""
        return f"<moves of {', '.join(server.name for server in self.servers)}>"

    @property
    def servers(self) -> tuple[Server, ...]:
        """All that move."""
        return (*(vm.server for vm in self.vms), *self.beside)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """What keeps the block from its end is noted; afterwards every slot is waited for, and servers looked at."""
        try:
            yield
            self._await_slots()
        except (ApiError, WaitEnded) as error:
            self.troubles.append(error)
        found = (self.nova.servers.find(server) for server in self.servers)
        self.end = {server.id: server for server in found if server is not None}

    @property
    def timeline(self) -> Timeline:
        """Slots and Hypervisors."""
        return self._closed[0]

    def host(self, server: Server) -> str | None:
        """Where a server was at the end; None if it was gone."""
        found = self.end.get(server.id)
        return found.host if found is not None else None

    def place(self, slot: str) -> Place:
        """Where a slot was at the end. Raises NotEnoughEvidence if that is not known."""
        return Place.of(self.timeline.steps("Reservation", slot, lambda obj: obj)[-1].record.object)

    def targets(self, slot: str) -> tuple[str, ...]:
        """Hosts that a slot was meant for, in order."""
        return tuple(one.value for one in self.timeline.steps("Reservation", slot, lambda obj: Place.of(obj).target))

    @property
    def followed(self) -> frozenset[str]:
        """Slots that are altogether on the host of their VM, where it is confirmed."""
        return frozenset(
            vm.slot
            for vm in self.vms
            if self.place(vm.slot).settled_with(vm.server.id, self.host(vm.server) or "nowhere")
        )

    @property
    def blocking(self) -> Blocking:
        """What their commitment held twice."""
        sizes = {vm.server.id: float(vm.ram * _MIB) for vm in self.vms}
        return Blocking(self.timeline, frozenset(vm.slot for vm in self.vms), sizes)

    def window(self, vm: Committed) -> float:
        """Product seconds from the source listing the VM no more to the slot being where the VM is, to the second.

        Infinite when the slot never came.
        """
        if vm.slot not in self.followed:
            return float("inf")
        left = max(until for name, _, until in self.blocking.hosts_of(vm.server.id) if name == vm.server.host)
        host = self.host(vm.server) or ""
        there = (
            start for place, start, _ in self.blocking.places_of(vm.slot) if place.settled_with(vm.server.id, host)
        )
        return max(0.0, min(there) - left)

    def states(self, server: Server) -> frozenset[tuple[str, int | None]]:
        """Statuses and power states in which a server was seen meanwhile."""
        samples = (sample for sample in self._closed[1].samples if sample.server == server.id)
        return frozenset((sample.status, sample.power_state) for sample in samples)

    def story(self) -> str:
        """Where servers and slots were, when, and what was blocked twice."""
        lines = [f"Trouble: {trouble}" for trouble in self.troubles]
        lines += [f"{one.name}: from {one.host} to {self.host(one) or 'nowhere, it is gone'}" for one in self.servers]
        for vm in self.vms:
            lines += [f"  {vm.slot}: {place}, {start - self._zero:+.0f} s" for place, start, _ in self._places(vm)]
        levels = self.blocking.levels() if self.vms else ()
        lines += [f"  over {level.over / 2**30:g} Gi for {level.end - level.start:.0f} s" for level in levels]
        return "\n".join(lines)

    def attach_to(self, sink: Sink, *, failed: bool) -> None:
        """Leave the timeline and figures with the test; when it failed, also the story."""
        from utilities.cortex.timeline import picture

        for server in self.servers:
            sink.figure(f"{server.name} landed on", self.host(server) or "no host")
        if self.vms:
            blocking = self.blocking
            sink.figure("blocked twice at most", f"{blocking.peak / 2**30:g} Gi")
            ended = f"{blocking.seconds:.0f} s" if blocking.closed else f"{blocking.seconds:.0f} s and on"
            sink.figure("blocked twice for", ended)
            slots = sorted({vm.slot for vm in self.vms})
            title = f"double-blocking of {slots[0] if len(slots) == 1 else f'{len(slots)} slots'}"
            sink.picture(title, picture(title, self))
        if failed:
            sink.text("story", self.story())

    @property
    def _zero(self) -> float:
        return self.blocking.levels()[0].start

    def _places(self, vm: Committed) -> tuple[tuple[Place, float, float], ...]:
        return self.blocking.places_of(vm.slot)

    def _await_slots(self) -> None:
        for vm in self.vms:
            host = self.nova.servers.get(vm.server).host or ""
            self.actor.waits.wait_for(
                Watched(RESERVATIONS, name=vm.slot),
                lambda obj, vm=vm, host=host: obj is not None and _calm(Place.of(obj), vm.server.id, host),  # type: ignore[misc]
                expecting=f"with its VM on {host}, or without it",
                within=FOLLOWED,
                describe=lambda obj: str(Place.of(obj)),
                next_step="look at the Reservation, the Hypervisors and Cortex' log",
            )
        let_pass(self.actor.rest, "default", _CALM, time_scale=self.actor.site.time_scale)

    @property
    def _closed(self) -> tuple[Timeline, NovaRecording]:
        if self.closed is None:
            raise NotEnoughEvidence("nothing is recorded yet", next_step="ask after the witness has left")
        return self.closed


@contextmanager
def witnessed(actor: Actor, nova: Nova, vms: tuple[Committed, ...], beside: tuple[Server, ...] = ()) -> Iterator[Moves]:
    """Watch while the block runs. The servers must be there until it ends: Nova's records go with them."""
    seen = Moves(actor, nova, vms, beside)
    every = _BESIDE_A_JOURNAL if nova.journal is not None else None
    hosts = sorted({server.host for server in seen.servers if server.host is not None})
    taped, taken = None, None
    try:
        with (
            nova_recording(nova, *hosts, servers=seen.servers, every=every) as taped,
            recording(actor.rest, [Watched(RESERVATIONS), Watched(HYPERVISORS)]) as taken,
        ):
            yield seen
    finally:
        if taped is not None and taken is not None:
            seen.closed = (taken.timeline, taped.recording)


def _calm(place: Place, vm: str, host: str) -> bool:
    return vm not in place.expected or place.settled_with(vm, host)
