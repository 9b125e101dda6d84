"""What a decision about a migration changes: one value, carried out by the engine in one go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from lab.controllers.answers import Answer
from lab.controllers.effects import Effect
from lab.openstack.compute.external.searches import Phase
from lab.openstack.compute.hosts import Host
from lab.openstack.compute.records import Record, Stage
from lab.openstack.compute.scheduling import Choice
from lab.openstack.compute.servers import Server
from lab.openstack.shape import NovaOptions

Json = Mapping[str, Any]
Transfer = Literal["", "start", "stop", "suspend", "post-copy", "power-off", "power-on"]
Claim = Literal["", "target", "back", "settle"]


@dataclass(frozen=True, slots=True)
class Mark:
    """An event of the action: it began (`began`), or ended well, or with that error."""

    name: str
    host: str = ""
    began: bool = False
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """Fields of the record and of the server to set, what happens to the guest, to allocations and to events.

    claim: `target` moves the server's allocation to the record and claims the target; `back` undoes that, `settle`
    makes it final. action: name of the action the marks belong to, "" for the one that began the migration. search: a
    search for a host begins, and nothing else happens.
    """

    record: Json = field(default_factory=dict)
    server: Json = field(default_factory=dict)
    transfer: Transfer = ""
    claim: Claim = ""
    marks: tuple[Mark, ...] = ()
    action: str = ""
    search: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """One migration as the tables see it.

    choose: asks the scheduler. search: how far that is, where it takes time. turn: whether a slot of the source is
    free for this record. limit: seconds the copy may take, 0 for ever. delay: product seconds that the named work
    takes this record.
    """

    record: Record
    server: Server
    now: float
    source: Host
    target: Host | None
    options: NovaOptions
    search: Phase
    turn: bool
    limit: float
    choose: Callable[[], Choice]
    delay: Callable[[str], float]

    @property
    def restored(self) -> Json:
        """The server as it is again after an attempt that came to nothing."""
        return {"task_state": None, "progress": 0}

    @property
    def arrived(self) -> Json:
        """Where the server is on the target."""
        return {"host": self.record.dest_compute, "node": self.record.dest_node}


def over(status: str) -> Json:
    """A record that ends with this status."""
    return {"status": status, "stage": Stage.OVER}


def at(*stages: Stage) -> Callable[[Move], bool]:
    """Whether the attempt stands at one of these stages."""
    return lambda move: move.record.stage in stages


def both(first: Callable[[Move], bool], second: Callable[[Move], bool]) -> Callable[[Move], bool]:
    """Whether both hold."""
    return lambda move: first(move) and second(move)


def step(make: Callable[[Move], Step]) -> Callable[[Move], Sequence[Effect]]:
    """The `then` of a row that makes this step."""
    return lambda move: (Answer(make(move)),)


class Searching(Protocol):
    """Anything that is looked at while a host for it is searched."""

    @property
    def search(self) -> Phase:
        """How far that is."""


def searched(*phases: Phase) -> Callable[[Searching], bool]:
    """Whether the search for a host is that far."""
    return lambda subject: subject.search in phases


def begin_search(_: object) -> Sequence[Effect]:
    """The `then` of a row that asks the external scheduler."""
    return (Answer(Step(search=True)),)


def takes(what: str) -> Callable[[Move], float]:
    """The `after` of a row whose work has a name in `delays.RANGES`."""
    return lambda move: move.delay(what)
