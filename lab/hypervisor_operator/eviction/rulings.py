"""What the controller makes of one server it got from Nova: the subject of its tables, and their answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lab.controllers.answers import Answer
from lab.controllers.decisions import Row
from lab.controllers.effects import Effect
from lab.hypervisor_operator.memory import NONE, Attempt
from lab.hypervisor_operator.requests import Outcome

_RUNNING = 1  # power state


class Ask(StrEnum):
    """A request about one server."""

    LIVE = "live-migration"
    COLD = "cold-migration"
    CONFIRM = "confirm-resize"


@dataclass(frozen=True, slots=True)
class Seen:
    """The answer to `GET /servers/{uuid}`, and whose host is to be emptied. `attempt`: what this process asked for."""

    uuid: str
    outcome: Outcome
    hypervisor: str
    attempt: Attempt = NONE
    now: float = 0.0

    def field(self, name: str) -> Any:
        """A field of the server, None when it is not there."""
        return (self.outcome.body.get("server") or {}).get(name)

    @property
    def status(self) -> str:
        """Such as ACTIVE."""
        return str(self.field("status") or "")

    @property
    def task(self) -> str:
        """`OS-EXT-STS:task_state`, "" for none."""
        return str(self.field("OS-EXT-STS:task_state") or "")

    @property
    def host(self) -> str:
        """The hypervisor's name up to its first dot, "" when Nova did not say (not placed, or not an admin's token)."""
        return str(self.field("OS-EXT-SRV-ATTR:hypervisor_hostname") or "").partition(".")[0]

    @property
    def elsewhere(self) -> bool:
        """Whether it is on another host. The name it is compared with is not shortened, and no host is another one."""
        return self.host != self.hypervisor

    @property
    def runs(self) -> bool:
        """Whether it is moved while it runs. A paused server is not, though Nova would do it (operator sheet §2.5)."""
        return self.status == "ACTIVE" or self.field("OS-EXT-STS:power_state") == _RUNNING

    @property
    def fault(self) -> str:
        """`fault.message`."""
        return str((self.field("fault") or {}).get("message", ""))

    @property
    def under_way(self) -> bool:
        """Whether Nova shows a migration by the status."""
        return self.status in ("MIGRATING", "RESIZE")

    @property
    def set_off(self) -> bool:
        """Whether Nova shows one by the task state: it was asked for, and the status does not say so yet."""
        return "migrat" in self.task or "resize" in self.task


@dataclass(frozen=True, slots=True)
class Ruling:
    """What follows for one server."""

    slot: bool = False  # holds one of the slots
    leaves: bool = False  # is taken out of the queue
    back: bool = False  # goes to the back of the queue
    says: str = ""  # told as a success, if no failure stands
    fails: str = ""  # told as a failure
    request: Ask | None = None  # what Nova is asked for next; a migration waits for a slot, a confirmation does not
    at_once: bool = False  # a migration that does not wait for one
    trouble: str = ""  # for the log only (serial form: a reconcile error)
    again: float | None = None  # serial form: product seconds until the next look


def rules(ruling: Callable[[Any], Ruling]) -> Callable[[Any], Sequence[Effect]]:
    """The `then` of a row."""
    return lambda subject: (Answer(ruling(subject)),)


def row(name: str, when: Callable[[Seen], bool], ruling: Callable[[Seen], Ruling]) -> Row[Seen]:
    """A row about a server."""
    return Row(name, when, rules(ruling))


def gone(uuid: str) -> str:
    """Nova does not know it any more."""
    return f"Instance {uuid} is gone"


def finished(uuid: str) -> str:
    """It is on another host."""
    return f"Migration of instance {uuid} finished"


def failed(seen: Seen) -> str:
    """It is in ERROR."""
    return f"Migration of instance {seen.uuid} failed: {seen.fault}"


def terminating(uuid: str) -> str:
    """Somebody deletes it."""
    return f"Live migration of terminating instance {uuid} skipped"


def refused(uuid: str, request: Ask, error: str) -> str:
    """Nova did not take the request."""
    what = "VM" if request is Ask.LIVE else "stopped server"
    return f"failed to evict {what} {uuid} due to {error}"
