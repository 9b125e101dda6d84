"""Hypervisors as the operator knows them: into maintenance and back, with other traits (operator sheet §1, §3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal

from utilities.errors import Blocked, SuiteError, UndoFailed
from utilities.evidence.steps import step
from utilities.history import Obj, dig
from utilities.hypervisors.drain import Drain
from utilities.hypervisors.eviction import Eviction, said
from utilities.hypervisors.kinds import DISABLED, EVICTING, EVICTIONS, HYPERVISORS, READY, TRAITS_UPDATED
from utilities.kubevirt.actor import Actor
from utilities.nova import Nova
from utilities.reversible import Entry, Patch, Target
from utilities.watching import Watched

Maintenance = Literal["manual", "auto", "termination", "ha"]
REASON = "migration test plans"
IN_SERVICE, TRAITS_OF_SPEC = "hypervisor-in-service", "hypervisor-traits"
"""Kinds of entries in a journal: what the operator has to do once a change is taken back."""


@dataclass(frozen=True, slots=True)
class Hypervisors:
    """All Hypervisors of a site, and their compute hosts in its cloud, which have the same names."""

    actor: Actor
    nova: Nova

    def names(self) -> tuple[str, ...]:
        """Names of all, sorted."""
        return tuple(sorted(found["metadata"]["name"] for found in self.actor.rest.list(HYPERVISORS)["items"]))

    def get(self, name: str) -> Obj:
        """One as it is now. Raises NotFound."""
        return self.actor.rest.get(HYPERVISORS, name)

    def traits(self, name: str) -> frozenset[str]:
        """The traits that its status tells; the operator takes limits from these."""
        return frozenset(dig(self.get(name), "status", "traits") or ())

    @contextmanager
    def drained(self, name: str, *, maintenance: Maintenance = "manual") -> Iterator[Drain]:
        """In maintenance, so that the operator moves all servers off it; back in service at the end, always.

        Returns at once: ask the Drain. Raises Blocked when it is in maintenance already.
        """
        present = dig(self.get(name), "spec", "maintenance")
        if present:
            raise Blocked(
                f"hypervisor {name} is in maintenance already ({present})",
                next_step="end it, or wait until whoever asked for it has done so",
            )
        body = {"spec": {"maintenance": maintenance, "maintenanceReason": REASON}}
        drain = Drain(self.actor, name, self.wait, self.bring_back)
        with self.actor.awaited(Entry(IN_SERVICE, {"name": name}, f"hypervisor {name}: in service")), drain:
            drain.enter(Patch(Target(HYPERVISORS, name), body, f"maintenance {maintenance}"))
            yield drain

    @contextmanager
    def with_traits(self, name: str, *traits: str) -> Iterator[None]:
        """Custom traits beside those it has, for the length of the block; waits until the operator has set them.

        They go into spec.customTraits and from there through Placement into the status. Raises WaitTimeout when the
        operator does not manage traits of this hypervisor (spec.lifecycleEnabled).
        """
        before = self.get(name)
        wanted = sorted({*(dig(before, "spec", "customTraits") or ()), *traits})
        change = Patch(Target(HYPERVISORS, name), {"spec": {"customTraits": wanted}}, f"traits {', '.join(traits)}")
        with ExitStack() as undo:
            with step("give hypervisor traits", hypervisor=name, traits=traits):
                undo.enter_context(self.nova.traits.known(*traits))
                settled = Entry(TRAITS_OF_SPEC, {"name": name}, f"hypervisor {name}: with the traits of its spec")
                undo.enter_context(self.actor.awaited(settled))
                undo.callback(self.wait_traits, name)
                undo.enter_context(self.actor.applied(change))
                self.wait_traits(name)
            yield

    def wait(self, name: str, goal: Callable[[Obj], bool], *, expecting: str, within: float) -> Obj:
        """Wait until one meets a goal. within: product seconds. Raises WaitTimeout, GoalLost when it is deleted."""
        found = self.actor.waits.wait_for(
            Watched(HYPERVISORS, name=name),
            lambda hypervisor: hypervisor is not None and goal(hypervisor),
            expecting=expecting,
            within=within,
            describe=describe,
            next_step="read the operator's log, and look at the Hypervisor and its Eviction",
        )
        return found or {}

    def wait_in_service(self, name: str) -> None:
        """Wait until one is enabled, with nothing left of a drain."""
        within = self.actor.site.timeouts.in_service
        with step("wait until the hypervisor is back in service", hypervisor=name):
            self.wait(name, in_service, expecting="back in service", within=within)
            self.actor.waits.wait_gone(Watched(EVICTIONS, name=name), within=within)

    def bring_back(self, name: str) -> None:
        """Wait for the operator; when it does not, do its work, so that the next test finds it in service."""
        try:
            self.wait_in_service(name)
        except SuiteError as problem:
            with step("bring the hypervisor back into service by hand", hypervisor=name, because=problem.what):
                Eviction(self.actor, name).delete()
                self.nova.hosts.enable(name)
            raise UndoFailed(
                f"the operator does not bring hypervisor {name} back into service: {problem.what}",
                next_step="look at the Hypervisor's conditions and at the compute service before the next run",
            ) from problem

    def wait_traits(self, name: str) -> None:
        """Wait until the custom traits of its spec are those of its status."""
        self.wait(
            name,
            lambda hypervisor: _custom(hypervisor) == frozenset(dig(hypervisor, "spec", "customTraits") or ()),
            expecting="with the traits of its spec",
            within=self.actor.site.timeouts.traits,
        )


def in_service(hypervisor: Obj) -> bool:
    """Whether it is enabled, with nothing left of a drain."""
    evicting = said(hypervisor, EVICTING)[0]
    return said(hypervisor, DISABLED)[0] != "True" and not evicting and not dig(hypervisor, "status", "evicted")


def describe(hypervisor: Obj) -> str:
    """In words: why it is or is not ready, and the conditions that a drain goes by."""
    _, reason, message = said(hypervisor, READY)
    told = [f"{kind} {said(hypervisor, kind)[0] or 'absent'}" for kind in (DISABLED, EVICTING, TRAITS_UPDATED)]
    return f"{reason or 'not reported'}{f' ({message})' if message else ''}, {', '.join(told)}"


def _custom(hypervisor: Obj) -> frozenset[str]:
    return frozenset(trait for trait in dig(hypervisor, "status", "traits") or () if str(trait).startswith("CUSTOM_"))
