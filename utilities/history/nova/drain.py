"""A hypervisor that is drained: the questions that tests ask about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from utilities.errors import NotEnoughEvidence
from utilities.history.in_flight.flights import Outcome
from utilities.history.in_flight.judging import InFlight, Verdict
from utilities.history.in_flight.limits import Limits
from utilities.history.nova import exact, posts
from utilities.history.nova.facts import Request
from utilities.history.nova.flying import in_flight, labels_of
from utilities.history.nova.posts import Polls, Repeat
from utilities.history.nova.recording import NovaRecording
from utilities.history.nova.tolerance import Tolerance


@dataclass(frozen=True, slots=True, repr=False)
class HypervisorDrain:
    """What left one hypervisor during a recording. host: `OS-EXT-SRV-ATTR:host` of its servers.

    flights: the migrations out of it; each counts from the accepted POST until its server left or stayed for good.
    """

    recording: NovaRecording
    host: str
    flights: InFlight

    def __repr__(self) -> str:
        """Short: it stands in messages of assertions, beside the story."""
        return f"<drain of {self.host}>"

    @classmethod
    def of(cls, recording: NovaRecording, host: str, tolerance: Tolerance | None = None) -> HypervisorDrain:
        """tolerance: how far records may lie from the truth, on a cloud without a journal."""
        return cls(recording, host, in_flight(recording, tolerance).out_of(host))

    def judge(self, limit: int | Limits) -> Verdict:
        """Whether more than that many were in flight at any moment; its text is the message of the assertion.

        Raises NotEnoughEvidence if a migration may be missing, unless too many are proven.
        """
        return self.flights.judge(limit)

    def reached(self, limit: int) -> bool:
        """Whether that many were in flight at once. Raises NotEnoughEvidence if the sources cannot tell."""
        return self.flights.reached(limit)

    def into(self, target: str) -> InFlight:
        """The migrations from here to one other hypervisor."""
        return self.flights.into(target)

    @property
    def started(self) -> frozenset[str]:
        """Servers that were sent away, whatever came of it."""
        return frozenset(flight.subject for flight in self.flights)

    @property
    def left(self) -> frozenset[str]:
        """Servers that were moved away."""
        return frozenset(flight.subject for flight in self.flights if flight.outcome is Outcome.LEFT)

    @property
    def unfinished(self) -> frozenset[str]:
        """Servers whose migration was not over at the end of the recording."""
        return frozenset(flight.subject for flight in self.flights.unfinished)

    @property
    def duration(self) -> float:
        """Product seconds from the first POST until the last server left or stayed for good.

        Raises NotEnoughEvidence if one was not over.
        """
        return self.flights.duration

    @property
    def posts(self) -> tuple[Request, ...]:
        """Every request to move a server that was here, refused ones too. Raises NotEnoughEvidence if no journal."""
        states = {history.server: history.states for history in posts.journal_of(self.recording).servers}
        here = (r for r in posts.during(self.recording) if r.moves)
        return tuple(
            r for r in here if r.server in self.started or exact.host_at(states.get(r.server, ()), r.at) == self.host
        )

    @property
    def first_post(self) -> Request:
        """The first of them. Raises NotEnoughEvidence if there is none, or no journal."""
        found = self.posts
        if not found:
            raise NotEnoughEvidence(
                f"nobody asked to move a server away from {self.host}",
                next_step="record from before the drain began, and check that the hypervisor had servers",
            )
        return found[0]

    @property
    def posts_per_vm(self) -> Mapping[str, int]:
        """How often each server (by what people call it) was asked to move, refused requests among them."""
        labels = labels_of(self.recording)
        return dict(Counter(labels.get(post.server, post.server) for post in self.posts))

    @property
    def repeated_posts(self) -> tuple[Repeat, ...]:
        """POSTs to a server whose migration was under way, or had already taken it away."""
        return posts.repeats(self.posts, self.flights)

    @property
    def polls(self) -> Polls:
        """Reads of single servers, by whomever; record with lists, so that they are the operator's."""
        return Polls.of(posts.during(self.recording))

    def requests(self, method: str, path: str) -> tuple[Request, ...]:
        """Requests during the recording with that method and that text in their path, e.g. `PUT`, `/os-services/`."""
        return tuple(r for r in posts.during(self.recording) if r.method == method and path in r.path)

    def story(self) -> str:
        """Every migration in a line."""
        return self.flights.story()
