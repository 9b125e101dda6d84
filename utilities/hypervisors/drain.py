"""One drain: a hypervisor on its way out of service, from the request for maintenance to its end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol

from utilities.errors import SuiteError
from utilities.evidence.steps import step
from utilities.history import Obj, dig
from utilities.hypervisors.eviction import Eviction, said
from utilities.hypervisors.kinds import READY
from utilities.kubevirt.actor import Actor
from utilities.reversible import Patch


class Wait(Protocol):
    """`Hypervisors.wait`."""

    def __call__(self, name: str, goal: Callable[[Obj], bool], *, expecting: str, within: float) -> Obj:
        """Wait until the Hypervisor meets the goal."""


@dataclass(slots=True)
class Drain:
    """Made by `Hypervisors.drained`, which ends it. bring_back: called with the name once maintenance has ended."""

    actor: Actor
    name: str
    wait: Wait
    bring_back: Callable[[str], None]
    _maintenance: ExitStack = field(default_factory=ExitStack)
    _asked: bool = False

    @property
    def eviction(self) -> Eviction:
        """The Eviction that the operator makes for it."""
        return Eviction(self.actor, self.name)

    def wait_ended(self, *, within: float | None = None) -> str:
        """Wait until its Eviction is over; returns how: Succeeded or Failed."""
        return self.eviction.wait_ended(within=within)

    def wait_evicted(self) -> Obj:
        """Wait until the Hypervisor says that it is evicted, which follows the end of the Eviction."""
        return self.wait(
            self.name,
            lambda hypervisor: dig(hypervisor, "status", "evicted") is True and said(hypervisor, READY)[1] == "Evicted",
            expecting="evicted",
            within=self.actor.site.timeouts.drain,
        )

    def enter(self, change: Patch) -> None:
        """Ask for maintenance."""
        with step("ask for maintenance", hypervisor=self.name, change=change.why):
            self._maintenance.enter_context(self.actor.applied(change))
            self._asked = True

    def end(self) -> None:
        """End the maintenance now; migrations that run go on. Returns at once, and once is enough."""
        with step("end maintenance", hypervisor=self.name):
            self._maintenance.close()

    def __enter__(self) -> Drain:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._asked:
            return
        try:
            self.end()
            self.bring_back(self.name)
        except SuiteError as problem:
            if error is None:
                raise
            error.add_note(f"hypervisor {self.name} is not back in service: {problem}")
