"""Servers of a cloud: looked at, brought into a state, deleted; found again by their names, which carry the run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from utilities.errors import ApiError, Blocked, NotFound
from utilities.evidence.steps import step
from utilities.history.nova import DELETED, StateSample
from utilities.nova.connection import Cloud, Span
from utilities.nova.polling import Polls, no_loss
from utilities.nova.server import Server, State
from utilities.nova.templates import ANYTHING, Template, Wanted, chosen
from utilities.nova.undoing import SERVERS, undone
from utilities.reversible import UNWRITTEN, Entry, Journal
from utilities.site import Timeouts

PREFIX = "migration-plans-"
"""Every server of the suite is called so, with the run behind it."""
_MAKING: Mapping[State, object] = {
    State.STOPPED: {"os-stop": None},
    State.PAUSED: {"pause": None},
    State.SUSPENDED: {"suspend": None},
    State.ERROR: {"os-resetState": {"state": "error"}},
}
"""What makes an active server be in a state."""
_NOT_IMPLEMENTED = 501

Goal = Callable[[Server | None], bool]
Losing = Callable[[Server | None], str | None]


@dataclass(frozen=True, slots=True)
class Listing:
    """Servers by name, and when it was so."""

    servers: tuple[Server, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Servers:
    """Servers of all projects.

    run: what the names of those made here carry, e.g. `main-4f2a91`. wanted: what the site wants them made of.
    template: of what they are made, None for the smallest. undo: where creations are written down.
    """

    cloud: Cloud
    polls: Polls
    timeouts: Timeouts
    run: str
    wanted: Wanted = ANYTHING
    template: Template | None = None
    undo: Journal = UNWRITTEN
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def get(self, server: Server | str) -> Server:
        """As it is now. Raises NotFound."""
        reply = self.cloud.send("compute", "GET", f"/servers/{_id(server)}")
        return Server.of(reply.body["server"], reply)

    def find(self, server: Server | str) -> Server | None:
        """As it is now, None when it is gone."""
        reply = self.cloud.found(f"/servers/{_id(server)}")
        return None if reply.body is None else Server.of(reply.body["server"], reply)

    def sample(self, server: Server | str) -> StateSample:
        """As it is now, for histories: there a server that is gone has a state, too."""
        reply = self.cloud.found(f"/servers/{_id(server)}")
        if reply.body is None:
            return StateSample(_id(server), reply.sent, reply.received, DELETED, None, None, power_state=0)
        return Server.of(reply.body["server"], reply).sample

    def on_host(self, host: str) -> tuple[Server, ...]:
        """Those on a compute host, by name; a server that arrives there counts once Nova has switched its host."""
        return self.listing(host=host).servers

    def of_run(self) -> tuple[Server, ...]:
        """Those made here, by name."""
        return self.listing(name=f"^{PREFIX}{self.run}-").servers

    def listing(self, **filters: str) -> Listing:
        """Those that filters of Nova's choose, of all projects."""
        pages = list(self.cloud.pages("/servers/detail", "servers", query={"all_tenants": True, **filters}))
        found = (Server.of(body, page) for page in pages for body in page.body["servers"])
        return Listing(tuple(sorted(found, key=lambda server: (server.name, server.id))), Span.over(pages))

    def chosen(self, *, ram: int = 0) -> Template:
        """What servers with at least so many MiB are made of. Raises SiteError when the cloud has nothing for it."""
        return chosen(self.cloud, ram=ram, wanted=self.wanted)

    @contextmanager
    def created(
        self, name: str, *, on: str, count: int = 1, state: State = State.ACTIVE
    ) -> Iterator[tuple[Server, ...]]:
        """New servers on a host, all in one state; at the end they are deleted wherever they are, and waited for.

        They boot from volumes, so that they can be live-migrated without block migration. Raises GoalLost when one
        cannot be built, and the suite's API errors.
        """
        names = [f"{PREFIX}{self.run}-{name}-{next(self._numbers)}" for _ in range(count)]
        made: list[str] = []
        entry = Entry(SERVERS, {"run": self.run, "names": names}, f"servers {', '.join(names)}: deleted")
        with undone(lambda: self._remove(made, names), entry, self.undo):
            with step("create servers", name=name, count=count, host=on, state=state.name.lower()):
                template = self.template or self.chosen()
                made.extend(self._create(one, on, template) for one in names)
                found = self._wait_all(made, State.ACTIVE, "built", self.timeouts.server_built)
                if state in _MAKING:
                    for one in made:
                        self.act(one, _MAKING[state])
                    found = self._wait_all(made, state, "changed", self.timeouts.server_changed)
            yield tuple(found[one] for one in made)

    def act(self, server: Server | str, action: object) -> None:
        """An action as Nova takes it, e.g. `{"os-stop": None}`; returns when it is accepted."""
        self.cloud.compute("POST", f"/servers/{_id(server)}/action", body=action)

    def console(self, server: Server | str) -> str:
        """What was written to its serial console, as far back as that is kept. Raises Blocked where there is none."""
        try:
            reply = self.cloud.compute("POST", f"/servers/{_id(server)}/action", body={"os-getConsoleOutput": {}})
        except ApiError as error:
            if error.code != _NOT_IMPLEMENTED:
                raise
            raise Blocked(
                f"the cloud serves no console of {_name(server)}: {error.server_message}",
                next_step="run on a cloud whose hypervisors keep the log of the serial console",
            ) from error
        return str(reply["output"] or "")

    def stop(self, server: Server | str) -> None:
        """Power it off and wait."""
        self._make(server, {"os-stop": None}, State.STOPPED)

    def start(self, server: Server | str) -> None:
        """Power it on and wait."""
        self._make(server, {"os-start": None}, State.ACTIVE)

    def pause(self, server: Server | str) -> None:
        """Pause it and wait."""
        self._make(server, {"pause": None}, State.PAUSED)

    def unpause(self, server: Server | str) -> None:
        """Let it go on and wait."""
        self._make(server, {"unpause": None}, State.ACTIVE)

    def break_(self, server: Server | str) -> None:
        """Say that it is in ERROR, as an administrator can of any server."""
        self._make(server, {"os-resetState": {"state": "error"}}, State.ERROR)

    def repair(self, server: Server | str) -> None:
        """Say that it is active again."""
        self._make(server, {"os-resetState": {"state": "active"}}, State.ACTIVE)

    def delete(self, server: Server | str) -> None:
        """Ask for its end; it is in task `deleting` until it is gone. A server that is gone already is fine."""
        with step("delete server", server=_name(server)), suppress(NotFound):
            self.cloud.compute("DELETE", f"/servers/{_id(server)}")

    def wait_gone(self, server: Server | str, *, within: float | None = None) -> None:
        """Wait until it is gone. within: product seconds."""
        self.wait(server, lambda found: found is None, expecting="gone", within=within or self.timeouts.server_deleted)

    def wait(
        self,
        server: Server | str,
        goal: Goal,
        *,
        expecting: str,
        within: float,
        losing: Losing = no_loss,
    ) -> Server | None:
        """Wait until a state of it (None: gone) meets the goal. within: product seconds. Raises GoalLost, WaitTimeout.

        losing: why a state rules the goal out, e.g. `lost_in_error`.
        """
        return self.polls.wait_for(
            lambda: self.find(server),
            goal,
            subject=f"server {_name(server)}",
            expecting=expecting,
            within=within,
            describe=lambda found: "gone" if found is None else found.state,
            losing=losing,
        )

    def wait_status(self, server: Server | str, status: str, *, within: float | None = None) -> Server:
        """Wait until it has a status and no task; raises GoalLost when it ends in ERROR or is gone instead."""
        found = self.wait(
            server,
            lambda found: found is not None and found.status == status and found.task_state is None,
            expecting=status,
            within=within or self.timeouts.server_changed,
            losing=lost_if_gone if status == State.ERROR else lost_in_error,
        )
        return found if found is not None else self.get(server)

    def wait_off(self, server: Server | str, host: str, *, within: float | None = None) -> Server:
        """Wait until it is on another host and has no task; raises GoalLost when it ends in ERROR or is gone."""
        found = self.wait(
            server,
            lambda found: found is not None and found.host not in (None, host) and found.task_state is None,
            expecting=f"moved off {host}",
            within=within or self.timeouts.server_migration,
            losing=lost_in_error,
        )
        return found if found is not None else self.get(server)

    def remove(self, run: str, names: Sequence[str]) -> None:
        """Delete those of any run that are called so, and wait; those that are gone already are fine."""
        replace(self, run=run)._remove((), names)

    def _make(self, server: Server | str, action: object, state: State) -> None:
        with step(f"bring server into state {state.name.lower()}", server=_name(server)):
            self.act(server, action)
            self.wait_status(server, state)

    def _create(self, name: str, host: str, template: Template) -> str:
        body: dict[str, Any] = {"name": name, "host": host, **template.body()}
        return str(self.cloud.compute("POST", "/servers", body={"server": body})["server"]["id"])

    def _wait_all(self, ids: Sequence[str], state: State, what: str, within: float) -> Mapping[str, Server]:
        """Wait until all are in a state, looked at together; returns them by uuid."""
        wanted = frozenset(ids)

        def look() -> Mapping[str, Server]:
            return {server.id: server for server in self.of_run() if server.id in wanted}

        def ready(server: Server) -> bool:
            return server.status == state and server.task_state is None

        def lost(found: Mapping[str, Server]) -> str | None:
            broken = [server for server in found.values() if server.status == "ERROR" and state is not State.ERROR]
            return f"{broken[0].name} is {broken[0].state}" if broken else None

        def describe(found: Mapping[str, Server]) -> str:
            late = [f"{server.name} {server.state}" for server in found.values() if not ready(server)]
            return f"{len(found) - len(late)} of {len(wanted)} {what}{f', not {late[0]}' if late else ''}"

        return self.polls.wait_for(
            look,
            lambda found: found.keys() == wanted and all(map(ready, found.values())),
            subject=f"{len(wanted)} new servers",
            expecting=f"all {state}",
            within=within,
            describe=describe,
            losing=lost,
        )

    def _remove(self, ids: Sequence[str], names: Sequence[str]) -> None:
        """Delete them, those included whose creation was not answered."""
        with step("delete servers", count=len(names)):
            unanswered = [server.id for server in self.of_run() if server.name in names and server.id not in ids]
            doomed = [*ids, *unanswered]
            for one in doomed:
                with suppress(NotFound):
                    self.cloud.compute("DELETE", f"/servers/{one}")
            self._wait_none(doomed)

    def _wait_none(self, ids: Sequence[str]) -> None:
        doomed = frozenset(ids)
        self.polls.wait_for(
            lambda: [server for server in self.of_run() if server.id in doomed],
            lambda left: not left,
            subject=f"{len(doomed)} servers",
            expecting="all gone",
            within=self.timeouts.server_deleted,
            describe=lambda left: f"{len(left)} left{f', {left[0].name} {left[0].state}' if left else ''}",
        )


def lost_if_gone(server: Server | None) -> str | None:
    """A server that is gone will not reach anything any more."""
    return "it is gone" if server is None else None


def lost_in_error(server: Server | None) -> str | None:
    """So will one in ERROR, before somebody repairs it."""
    return f"it is {server.state}" if server is not None and server.status == "ERROR" else lost_if_gone(server)


def _id(server: Server | str) -> str:
    return server if isinstance(server, str) else server.id


def _name(server: Server | str) -> str:
    return server if isinstance(server, str) else server.name
