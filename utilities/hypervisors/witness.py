"""Watching a drain from before it is asked for until after its end: Nova, the Eviction and its Hypervisor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from utilities.errors import ApiError, NotEnoughEvidence, WaitEnded
from utilities.evidence.conditions import picture as conditions_over_time
from utilities.evidence.in_flight import picture
from utilities.evidence.sink import Sink
from utilities.history import EVICTION, Timeline, dig
from utilities.history.evictions import EvictionPast, HypervisorPast
from utilities.history.in_flight import InFlight, Outcome, Verdict
from utilities.history.in_flight.turns import turns
from utilities.history.nova import HypervisorDrain, NovaRecording, in_flight
from utilities.hypervisors.kinds import EVICTING, EVICTIONS, HYPERVISORS, MIGRATING, PREFLIGHT
from utilities.kubevirt.actor import Actor
from utilities.nova import Host, Nova, Server
from utilities.nova.recording import nova_recording
from utilities.watching import Watched, recording

_BESIDE_A_JOURNAL = 0.25
"""Wall seconds between two looks at a lab, whose journal tells everything exactly at the end."""


@dataclass(frozen=True, slots=True)
class End:
    """The cloud when the drain was over. servers: those it was about and that exist, by uuid. host: the drained one."""

    servers: Mapping[str, Server]
    host: Host


@dataclass(slots=True, repr=False)
class Seen:
    """What was seen of a drain; complete once its context has ended. Questions raise NotEnoughEvidence before that.

    name: of the hypervisor. servers: those that are to move, as they were before; beside: those that a test has ideas
    about, among them or not. limit: how many migrations may be in flight at once. troubles: what kept a block inside
    `noting` from its end. end: None when nobody looked.
    """

    name: str
    servers: tuple[Server, ...]
    limit: int
    nova: Nova
    beside: tuple[Server, ...] = ()
    troubles: list[ApiError | WaitEnded] = field(default_factory=list)
    end: End | None = None
    closed: tuple[Timeline, NovaRecording] | None = None

    def __repr__(self) -> str:
        """Short: it stands in messages of assertions, beside the story."""
        return f"<what was seen of the drain of {self.name}>"

    @contextmanager
    def noting(self) -> Iterator[None]:
        """A refusal, or a wait that does not reach its goal, ends the block and is noted, for the test to judge."""
        try:
            yield
        except (ApiError, WaitEnded) as error:
            self.troubles.append(error)
        found = (self.nova.servers.find(server) for server in {*self.servers, *self.beside})
        self.end = End({one.id: one for one in found if one is not None}, self.nova.hosts.named(self.name))

    @property
    def timeline(self) -> Timeline:
        """The Eviction and its Hypervisor."""
        return self._closed[0]

    @property
    def eviction(self) -> EvictionPast:
        """The Eviction over time."""
        return EvictionPast(self.timeline, self.name)

    @property
    def hypervisor(self) -> HypervisorPast:
        """The Hypervisor over time."""
        return HypervisorPast(self.timeline, self.name)

    @property
    def cloud(self) -> HypervisorDrain:
        """What left the hypervisor, and what Nova was asked for."""
        return HypervisorDrain.of(self._closed[1], self.name)

    @property
    def arrivals(self) -> InFlight:
        """Migrations that were bound for the hypervisor."""
        return in_flight(self._closed[1]).into(self.name)

    @property
    def verdict(self) -> Verdict:
        """Whether the limit was kept."""
        return self.cloud.judge(self.limit)

    @property
    def exceeded(self) -> bool:
        """Whether the sources prove that more were in flight than the limit allows."""
        return self.verdict.exceeded

    @property
    def all_moved(self) -> bool:
        """Whether every server that is to move has left by a migration."""
        return self.cloud.left >= {server.id for server in self.servers}

    @property
    def gone(self) -> tuple[Server, ...]:
        """Servers that were to move and did not exist any more at the end."""
        found = self.end.servers if self.end is not None else {}
        return tuple(server for server in self.servers if server.id not in found)

    @property
    def attempts(self) -> Mapping[str, int]:
        """How often Nova was asked to move each server, by name; on a lab with the requests that it refused."""
        if self._closed[1].journal is not None:
            return {server.name: self.cloud.posts_per_vm.get(server.name, 0) for server in self.servers}
        return {server.name: len(self.cloud.flights.of_subject(server.id)) for server in self.servers}

    @property
    def turns(self) -> tuple[float, ...]:
        """Product seconds for which each slot that became free stayed so, while servers waited for one."""
        return turns(self.cloud.flights.flights, self.limit)

    def kinds_of(self, servers: Iterable[Server]) -> set[str]:
        """How these were moved: live-migration, migration (cold)."""
        return {flight.kind for server in servers for flight in self.cloud.flights.of_subject(server.id)}

    def statuses_of(self, servers: Iterable[Server]) -> set[str]:
        """What these were at the end, as Nova spells it."""
        found = self.end.servers if self.end is not None else {}
        return {found[server.id].status if server.id in found else "gone" for server in servers}

    def repeated_in_turn(self, server: Server) -> bool:
        """Whether every attempt at it but the first began after all others had had theirs."""
        first = [min(f.began.latest for f in self.cloud.flights.of_subject(other.id)) for other in self.servers]
        again = [flight.began.earliest for flight in self.cloud.flights.of_subject(server.id)][1:]
        return all(at >= max(first, default=at) for at in again)

    def require_late(self, server: Server) -> None:
        """Raise NotEnoughEvidence unless it arrived after the servers had been listed."""
        landed = self.arrivals.of_subject(server.id)
        if server.id in self.eviction.queues[0] or not any(one.outcome is Outcome.LEFT for one in landed):
            raise NotEnoughEvidence(
                f"{server.name} did not land on {self.name} after the servers there were listed",
                next_step="use a larger server, so that it is longer on its way",
            )

    def require_listed(self, server: Server) -> None:
        """Raise NotEnoughEvidence unless the operator found it on the hypervisor."""
        if server.id not in self.eviction.queues[0]:
            raise NotEnoughEvidence(
                f"{server.name} was gone before the operator looked at it",
                next_step="run this scenario on the lab, where a deletion can be told to take long",
            )

    def require_setback(self, server: Server) -> None:
        """Raise NotEnoughEvidence unless an attempt to move it ended where it began."""
        if not any(one.outcome is Outcome.STAYED for one in self.cloud.flights.of_subject(server.id)):
            raise NotEnoughEvidence(
                f"no attempt to move {server.name} ended where it began",
                next_step="run this scenario where disks of images are local to their host",
            )

    def story(self) -> str:
        """Who was in flight when, what was said meanwhile, and what is left: the message of a failed assertion."""
        left = ", ".join(self.end.host.servers.values()) if self.end is not None else "unknown"
        troubles = [f"Trouble: {trouble}" for trouble in self.troubles]
        lines = [self._verdict_or_doubt(), self.timeline.story(), *troubles]
        return "\n".join([*lines, f"Left on {self.name}: {left or 'nothing'}"])

    def attach_to(self, sink: Sink, *, failed: bool) -> None:
        """Leave pictures and figures with the test; when it failed, also the story."""
        flights = self.cloud.flights
        if len(flights) and not flights.unfinished:
            sink.figure("time from first start to last end", f"{flights.duration:.0f} s")
        if len(flights):
            sink.figure("in flight at once", f"{flights.peak.count} of {self.limit}")
            title = f"in flight out of {self.name}"
            sink.picture(title, picture(title, flights, self.limit))
        if self.eviction.uids:
            title, shown = f"Eviction of {self.name}", (EVICTING, PREFLIGHT, MIGRATING)
            numbers = {"outstandingInstances": lambda obj: len(dig(obj, "status", "outstandingInstances") or ())}
            sink.picture(title, conditions_over_time(title, self.timeline, EVICTION, self.name, shown, numbers))
        if failed:
            sink.text("story", self.story())

    @property
    def _closed(self) -> tuple[Timeline, NovaRecording]:
        if self.closed is None:
            raise NotEnoughEvidence("nothing is recorded yet", next_step="ask after the witness has left")
        return self.closed

    def _verdict_or_doubt(self) -> str:
        try:
            return str(self.verdict)
        except NotEnoughEvidence as doubt:
            return f"{doubt}\n{self.cloud.story()}"


@contextmanager
def watched(
    actor: Actor, nova: Nova, hypervisor: str, servers: Sequence[Server], limit: int, beside: Sequence[Server] = ()
) -> Iterator[Seen]:
    """Watch while the block runs: migrations out of the hypervisor and into it, its Eviction, and itself.

    servers, beside: those of `Seen`. They must be there until the block ends: Nova's records go with them.
    """
    seen = Seen(hypervisor, tuple(servers), limit, nova, tuple(beside))
    watches = [Watched(kind, name=hypervisor) for kind in (HYPERVISORS, EVICTIONS)]
    every = _BESIDE_A_JOURNAL if nova.journal is not None else None
    taped, taken = None, None
    try:
        with (
            nova_recording(nova, hypervisor, servers=(*servers, *beside), every=every) as taped,
            recording(actor.rest, watches) as taken,
        ):
            yield seen
    finally:
        if taped is not None and taken is not None:
            seen.closed = (taken.timeline, taped.recording)
