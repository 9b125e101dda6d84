"""Searches for a host that take time: each try asks the external scheduler once, then checks the host it gets.

A host that fails its pre-check is one more to ignore, and the next try asks again: one migration can cause several
runs of the service (Cortex sheet §2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

import orjson

from lab.controllers.decisions import Table
from lab.openstack.compute.external.asked import Asked
from lab.openstack.compute.external.body import Asker, Question, body
from lab.openstack.compute.external.doors import Answer, Door
from lab.openstack.compute.external.verdicts import Heard, verdict
from lab.openstack.compute.hosts import Host
from lab.openstack.compute.scheduling import Choice, Scheduler, Wish, no_host
from lab.openstack.compute.state import State

_NO_ANSWER = "no answer within {:g} s"
Done = Callable[[], None]


class Phase(Enum):
    """How far a search is."""

    OPEN = "open"  # not begun
    ASKED = "asked"
    FOUND = "found"  # or found that there is none


@dataclass(frozen=True, slots=True)
class Errand:
    """What a search is for. `migration`: uuid of the record, "" for a build; `check` as in `Question`."""

    wish: Wish
    asker: Asker
    check: str = ""
    migration: str = ""
    source: str = ""


@dataclass(slots=True)
class _Search:
    errand: Errand
    done: Done
    tried: tuple[str, ...]
    attempt: int = 0
    choice: Choice | None = None
    failed: str = ""  # the last pre-check


class Searches:
    """All searches of one cloud. Without a door Nova's scheduler decides alone, at once."""

    def __init__(self, state: State, scheduler: Scheduler, table: Table[Heard]) -> None:
        self.asked: list[Asked] = []
        self._state = state
        self._scheduler = scheduler
        self._table = table
        self._door: Door | None = None
        self._searches: dict[str, _Search] = {}

    def connect(self, door: Door | None) -> None:
        """Ask there from now on; None: ask nobody."""
        self._door = door

    def phase(self, key: str) -> Phase:
        """How far the search with that key is; FOUND also where nobody is asked."""
        search = self._searches.get(key)
        if search is None:
            return Phase.FOUND if self._door is None else Phase.OPEN
        return Phase.ASKED if search.choice is None else Phase.FOUND

    def choice(self, key: str, wish: Wish) -> Choice:
        """What was found; what Nova alone would choose when nobody was asked."""
        search = self._searches.get(key)
        return self._scheduler.choose(wish) if search is None or search.choice is None else search.choice

    def begin(self, key: str, errand: Errand, done: Done) -> None:
        """Search; `done` is called once it is over. Where Nova itself has no host to offer, nobody is asked."""
        source = (errand.source,) if errand.source else ()
        search = self._searches[key] = _Search(errand, done, source)
        self._try(search)

    def _try(self, search: _Search) -> None:
        search.attempt += 1
        wish = replace(search.errand.wish, exclude=frozenset(search.tried))
        offered = self._scheduler.weighed(wish)
        if not offered or self._door is None:
            self._end(search, Choice(None, no_host(wish, search.failed)))
            return
        number = len(self.asked)
        self.asked.append(self._noted(search, [host.name for host, _ in offered]))
        document = orjson.dumps(body(self._question(search, offered)))
        answered = self._once(partial(self._hear, search, number, {host.name: host for host, _ in offered}))
        if self._door.timeout is not None:
            late = Answer(0, problem=_NO_ANSWER.format(self._door.timeout))
            self._state.clock.call_later(self._door.timeout, answered, late)
        self._door.send(document, answered)

    def _hear(self, search: _Search, number: int, offered: dict[str, Host], answer: Answer) -> None:
        found = verdict(self._table, Heard(answer, tuple(offered)))
        target = self._claimable(search, (offered[name] for name in found.hosts)) if not found.error else None
        self.asked[number] = replace(
            self.asked[number],
            answered=self._state.clock.now(),
            status=answer.status or None,
            verdict=found.name,
            answer=found.hosts if found.used else None,
            target=target.name if target is not None else None,
        )
        if target is None:
            self._end(search, Choice(None, found.error or no_host(search.errand.wish, search.failed)))
            return
        search.failed = self._scheduler.unfit(search.errand.wish, target)
        if search.failed:
            search.tried += (target.name,)
            self._try(search)
        else:
            self._end(search, Choice(target))

    def _claimable(self, search: _Search, hosts: Iterator[Host]) -> Host | None:
        """The first on which Placement still has what the server needs."""
        return next((host for host in hosts if self._scheduler.fits(search.errand.wish, host)), None)

    def _end(self, search: _Search, choice: Choice) -> None:
        search.choice = choice
        search.done()

    def _once(self, hear: Callable[[Answer], None]) -> Callable[[Answer], None]:
        """Whatever comes second, the answer or the end of patience, is dropped."""
        heard: list[Answer] = []

        def answered(answer: Answer) -> None:
            if not heard:
                heard.append(answer)
                hear(answer)

        return answered

    def _noted(self, search: _Search, hosts: list[str]) -> Asked:
        errand = search.errand
        return Asked(
            self._state.clock.now(), errand.wish.server.id, errand.migration, errand.check, search.attempt,
            tuple(hosts), search.tried,
        )  # fmt: skip

    def _question(self, search: _Search, offered: list[tuple[Host, float]]) -> Question:
        errand = search.errand
        group, hosts = self._scheduler.group_of(errand.wish.server)
        return Question(
            errand.wish.server, errand.asker, errand.check, self._state.hosts.get(errand.source), search.tried,
            self._state.hosts.get(errand.wish.host), group, hosts, offered, self._state.clock.now(),
        )  # fmt: skip
