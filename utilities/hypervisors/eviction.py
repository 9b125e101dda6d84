"""Evictions, the operator's records of one drain each: created, waited for, deleted (operator sheet §1, §2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from utilities.errors import NotFound
from utilities.evidence.steps import step
from utilities.history import Obj, condition_of, dig
from utilities.hypervisors.kinds import EVICTING, EVICTIONS, MIGRATING, PREFLIGHT
from utilities.kubevirt.actor import Actor
from utilities.reversible import Create
from utilities.watching import Losing, Watched, lost_if_gone


@dataclass(frozen=True, slots=True)
class Eviction:
    """One Eviction by its name; one made for maintenance is called like the hypervisor. It need not exist yet."""

    actor: Actor
    name: str

    def get(self) -> Obj:
        """As it is now. Raises NotFound."""
        return self.actor.rest.get(EVICTIONS, self.name)

    def outstanding(self) -> tuple[str, ...]:
        """Uuids of the servers that are to leave, in the order of its queue."""
        return outstanding(self.get())

    def wait_ended(self, *, within: float | None = None) -> str:
        """Wait until it is over; returns how: Succeeded or Failed. within: product seconds (default: of a drain).

        Raises GoalLost when it is deleted meanwhile.
        """
        found = self.wait(
            lambda eviction: said(eviction, EVICTING)[0] == "False",
            expecting="over",
            within=within or self.actor.site.timeouts.drain,
            losing=lost_if_gone,
        )
        return said(found, EVICTING)[1]

    def wait_started(self) -> Obj:
        """Wait until it has listed the servers to move; raises GoalLost when it is over without having done that."""
        return self.wait(
            lambda eviction: said(eviction, PREFLIGHT)[0] == "True",
            expecting="with servers listed",
            within=self.actor.site.timeouts.drain,
            losing=lambda eviction: lost_if_gone(eviction) or _over(eviction),
        )

    def wait(self, goal: Callable[[Obj], bool], *, expecting: str, within: float, losing: Losing = lost_if_gone) -> Obj:
        """Wait until it is there and meets a goal. within: product seconds. Raises GoalLost, WaitTimeout."""
        with step(f"wait until the eviction is {expecting}", eviction=self.name) as waiting:
            found = self.actor.waits.wait_for(
                Watched(EVICTIONS, name=self.name),
                lambda eviction: eviction is not None and goal(eviction),
                expecting=expecting,
                within=within,
                losing=losing,
                describe=describe,
                next_step="read the states above and the operator's log; look at the servers and their migrations",
            )
            waiting.took_since_creation(found)
        return found or {}

    def delete(self) -> None:
        """Delete it; migrations that run go on. One that is gone already is fine."""
        with step("delete eviction", eviction=self.name), suppress(NotFound):
            self.actor.rest.delete(EVICTIONS, self.name)

    def wait_gone(self) -> None:
        """Wait until it is gone."""
        self.actor.waits.wait_gone(Watched(EVICTIONS, name=self.name), within=self.actor.site.timeouts.deletion)


@contextmanager
def created(actor: Actor, hypervisor: str, reason: str = "migration test plans") -> Iterator[Eviction]:
    """An Eviction of our own, without maintenance; it does nothing before the hypervisor is disabled. Gone at the end.

    Raises ApiError (422) for what the API refuses, such as an empty reason.
    """
    body = {"metadata": {"generateName": f"{hypervisor}-plan-"}, "spec": {"hypervisor": hypervisor, "reason": reason}}
    with actor.applied(Create(EVICTIONS, body)) as made:
        yield Eviction(actor, made["metadata"]["name"])


def outstanding(eviction: Obj) -> tuple[str, ...]:
    """Uuids of the servers that an Eviction has still to move; the work queue."""
    return tuple(dig(eviction, "status", "outstandingInstances") or ())


def said(obj: Obj | None, condition: str) -> tuple[str, str, str]:
    """(status, reason, message) of a condition; three empty words while it is absent."""
    entry = condition_of(obj, condition) if obj is not None else None
    entry = entry or {}
    return str(entry.get("status", "")), str(entry.get("reason", "")), str(entry.get("message", ""))


def describe(eviction: Obj) -> str:
    """In words, e.g. `Running, 3 outstanding; MigratingInstance Failed: Migration of instance … failed: …`."""
    words = f"{said(eviction, EVICTING)[1] or 'new'}, {len(outstanding(eviction))} outstanding"
    _, reason, message = said(eviction, MIGRATING)
    return f"{words}; {MIGRATING} {reason}: {message}" if reason else words


def _over(eviction: Obj | None) -> str | None:
    status, reason, message = said(eviction, EVICTING)
    return f"it ended {reason}: {message}" if status == "False" else None
