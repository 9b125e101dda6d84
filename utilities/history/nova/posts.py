"""What Nova was asked to do, from a lab's journal: which server was asked to move, how often, and what was polled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from utilities.errors import NotEnoughEvidence
from utilities.history.in_flight.flights import Flight, Outcome
from utilities.history.in_flight.judging import InFlight
from utilities.history.intervals import Interval, Moment, peak
from utilities.history.nova.facts import Request
from utilities.history.nova.journal import Journal
from utilities.history.nova.recording import NovaRecording


@dataclass(frozen=True, slots=True)
class Repeat:
    """A POST that should not have been sent: the server's migration was under way, or had taken it away."""

    post: Request
    flight: Flight

    def __str__(self) -> str:
        when = f"{self.post.at - self.flight.began.latest:.1f} s after the accepted one"
        done = f" and {self.post.at - self.flight.ended.earliest:.1f} s after it had left" if self._too_late else ""
        return f"{self.flight.label} got another {self.post.action} {when}{done}, answered {self.post.status}"

    @property
    def _too_late(self) -> bool:
        return self.flight.ended.earliest <= self.post.at


def journal_of(recording: NovaRecording) -> Journal:
    """The journal. Raises NotEnoughEvidence on a cloud without one."""
    if recording.journal is None:
        raise NotEnoughEvidence(
            "which requests Nova got is known of a lab only: this recording has no journal",
            next_step="run this scenario on the lab, or on a site whose openstack section names a journal",
        )
    return recording.journal


def during(recording: NovaRecording) -> Iterator[Request]:
    """Requests during the recording, in order. Raises NotEnoughEvidence on a cloud without a journal."""
    for request in sorted(journal_of(recording).requests, key=lambda request: request.at):
        if recording.started <= request.at <= recording.ended:
            yield request


def repeats(posts: Iterable[Request], flights: InFlight) -> tuple[Repeat, ...]:
    """POSTs while the server's earlier migration was under way, or after it had left; accepted or not.

    One after an attempt that left the server where it was is due, and so is one after a POST that was refused.
    """
    by_server: dict[str, list[Flight]] = {}
    for flight in flights:
        by_server.setdefault(flight.subject, []).append(flight)
    found: list[Repeat] = []
    for post in posts:
        own = [f for f in by_server.get(post.server, ()) if f.began.latest <= post.at]
        begun = post.served and any(f.began.latest == post.at for f in own)
        earlier = own[:-1] if begun else own
        last = earlier[-1] if earlier else None
        if last is None or (last.ended.earliest <= post.at and last.outcome is not Outcome.LEFT):
            continue
        came_back = begun and last.ended.earliest <= post.at and own[-1].source == last.source
        if not came_back:
            found.append(Repeat(post, last))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Pass:
    """Servers that were read one after the other. start, end: product seconds of the first and the last."""

    start: float
    end: float
    servers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Polls:
    """`GET /servers/{id}` requests in order: what an operator reads in each pass. Lists are not among them."""

    requests: tuple[Request, ...]

    @classmethod
    def of(cls, requests: Iterable[Request]) -> Polls:
        """Those among any requests."""
        return cls(tuple(r for r in requests if r.method == "GET" and r.server and r.path.endswith(f"/{r.server}")))

    @property
    def gaps(self) -> tuple[float, ...]:
        """Product seconds between two reads of the same server, in the order of the second one."""
        last: dict[str, float] = {}
        found: list[float] = []
        for request in self.requests:
            if request.server in last:
                found.append(request.at - last[request.server])
            last[request.server] = request.at
        return tuple(found)

    def most_within(self, seconds: float) -> Moment:
        """The most reads of one server within any time of that length: subject is the server, once for each read."""
        by_server: dict[str, list[Interval]] = {}
        for request in self.requests:
            reads = by_server.setdefault(request.server, [])
            reads.append(Interval(request.server, request.at, request.at + seconds))
        return max(
            (peak(reads) for reads in by_server.values()), key=lambda moment: moment.count, default=Moment(0, ())
        )

    def passes(self, apart: float = 0.9) -> tuple[Pass, ...]:
        """Reads put together to passes: another begins with a server that was read in this one, or after a silence.

        apart: product seconds of that silence; the operator's passes are at least 1 s apart when all goes well.
        """
        groups: list[list[Request]] = []
        for request in self.requests:
            last = groups[-1] if groups else []
            known = {earlier.server for earlier in last}
            if not last or request.server in known or request.at - last[-1].at > apart:
                groups.append([request])
            else:
                last.append(request)
        return tuple(Pass(each[0].at, each[-1].at, tuple(r.server for r in each)) for each in groups)


def pauses(passes: Sequence[Pass]) -> tuple[float, ...]:
    """Product seconds from the start of each pass to the start of the next."""
    return tuple(two.start - one.start for one, two in pairwise(passes))
