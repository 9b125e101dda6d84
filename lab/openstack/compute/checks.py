"""Whether an action may begin in a server's state: vm_state, then task_state, then launched_at (openstack sheet §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lab.controllers.answers import answer, answering
from lab.controllers.decisions import Row, Table
from lab.openstack.compute.servers import Server
from lab.openstack.refusals import RefusalError

ANY: frozenset[str | None] = frozenset()
_IDLE: frozenset[str | None] = frozenset({None})


@dataclass(frozen=True, slots=True)
class Allowed:
    """vm_states and task_states in which an action may begin; empty: any."""

    vm_states: frozenset[str] = frozenset()
    task_states: frozenset[str | None] = _IDLE
    launched: bool = True


def _in(*vm_states: str) -> Allowed:
    return Allowed(frozenset(vm_states))


ALLOWED: Mapping[str, Allowed] = {
    "os-migrateLive": _in("active", "paused"),
    "migrate": _in("active", "stopped"),
    "confirmResize": Allowed(frozenset({"resized"}), ANY),
    "revertResize": _in("resized"),
    "abort live migration": Allowed(frozenset(), frozenset({"migrating"}), launched=False),
    "force_complete": Allowed(frozenset({"active"}), ANY, launched=False),
    "os-stop": _in("active", "error"),
    "os-start": _in("stopped"),
    "pause": _in("active"),
    "unpause": _in("paused"),
    "suspend": _in("active"),
    "resume": _in("suspended"),
    "reboot": _in("active", "stopped", "paused", "suspended"),
}


@dataclass(frozen=True, slots=True)
class Begin:
    """An action that is about to begin. `force`: the caller passes locks."""

    server: Server
    action: str
    force: bool

    @property
    def allowed(self) -> Allowed:
        """In what state it may."""
        return ALLOWED[self.action]


def _wrong_vm_state(begin: Begin) -> bool:
    states = begin.allowed.vm_states
    return bool(states) and begin.server.vm_state not in states


def _wrong_task_state(begin: Begin) -> bool:
    states = begin.allowed.task_states
    return bool(states) and begin.server.task_state not in states


def invalid_state(server: Server, action: str, kind: str, value: str | None) -> RefusalError:
    """409: the state does not allow it."""
    if not value:
        return RefusalError(409, f"Instance {server.id} is in an invalid state for '{action}'")
    return RefusalError(409, f"Cannot '{action}' instance {server.id} while it is in {kind} {value}")


ACTIONS: Table[Begin] = Table(
    "nova-actions",
    (
        Row(
            "locked",
            lambda begin: begin.server.locked and not begin.force,
            answering(lambda begin: RefusalError(409, f"Instance {begin.server.id} is locked")),
        ),
        Row(
            "vm_state",
            _wrong_vm_state,
            answering(lambda begin: invalid_state(begin.server, begin.action, "vm_state", begin.server.vm_state)),
        ),
        Row(
            "task_state",
            _wrong_task_state,
            answering(lambda begin: invalid_state(begin.server, begin.action, "task_state", begin.server.task_state)),
        ),
        Row(
            "never launched",
            lambda begin: begin.allowed.launched and begin.server.launched is None,
            answering(lambda begin: invalid_state(begin.server, begin.action, "launched_at", None)),
        ),
    ),
)


def admit(table: Table[Begin], begin: Begin) -> None:
    """Raise the refusal that the table answers, if any."""
    refusal = answer(table, begin)
    if refusal is not None:
        raise refusal
