"""Watching VMs from before their nodes are drained until nothing moves any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from utilities.clients import VMIMS
from utilities.drains.drain import Drain, drained
from utilities.errors import WaitTimeout
from utilities.evidence import in_flight, timeline
from utilities.evidence.sink import Sink
from utilities.evidence.steps import step
from utilities.guest import Workload
from utilities.history import Migration, Migrations, dig
from utilities.history.in_flight import InFlight
from utilities.kubevirt.actor import Actor
from utilities.kubevirt.limits import outbound_per_node, per_cluster
from utilities.kubevirt.migrations import FINAL
from utilities.vgpu.machine import Machine
from utilities.vgpu.noted import Noted
from utilities.vgpu.witness import Seen, all_witnessed, watched
from utilities.watching import Watched


@dataclass(slots=True, repr=False)
class Emptying(Noted):
    """What was seen of VMs while nodes were drained.

    guests: views of those VMs whose guests were looked into. node_limit, cluster_limit: migrations that might be in
    flight at once.
    """

    nodes: tuple[str, ...]
    vms: tuple[Machine, ...]
    node_limit: int
    cluster_limit: int
    workloads: tuple[Workload, ...] = ()
    guests: tuple[Seen, ...] = ()
    drains: tuple[Drain, ...] = ()

    def __repr__(self) -> str:
        """Short: it stands in messages of assertions, beside the story."""
        return f"<what was seen of draining {', '.join(self.nodes)}>"

    @property
    def drain(self) -> Drain:
        """The only drain, or the first one."""
        return self.drains[0]

    @property
    def keys(self) -> tuple[str, ...]:
        """`namespace/name` of the VMs, as histories name them."""
        return tuple(vm.key for vm in self.vms)

    @property
    def migrations(self) -> Migrations:
        """Every migration of the VMs, oldest first."""
        return Migrations(tuple(one for one in self.timeline.migrations() if one.vmi in self.keys))

    def of(self, vm: Machine) -> tuple[Migration, ...]:
        """Migrations of one VM, oldest first."""
        return self.timeline.migrations(vmi=vm.key).all

    @property
    def in_flight(self) -> InFlight:
        """Every migration of the namespace while it held a slot, for the judge of limits."""
        return self.timeline.migrations().in_flight

    @property
    def routes(self) -> dict[str, list[str | None]]:
        """Nodes that each VM was on, in order, by key."""
        return {key: list(self.timeline.nodes(key)) for key in self.keys}

    @property
    def strangers(self) -> dict[str, tuple[str, ...]]:
        """VMs of which more instances than the first one were seen, by key: their guests were started anew."""
        found = {vm.key: self.timeline.identities(vm.key) for vm in self.vms}
        return {vm.key: found[vm.key] for vm in self.vms if found[vm.key] != (vm.uid,)}

    def story(self) -> str:
        """Who changed to what and when, what the drains were answered, and what differs in the guests."""
        lines = [self.timeline.story()]
        for drain in self.drains:
            said = dict.fromkeys((each.evictee.vmi, each.refusal or "granted") for each in drain.answers)
            lines += [f"Drain of {drain.node}: {vmi}: {answer}" for vmi, answer in said]
        lines += [f"Trouble: {trouble}" for trouble in self.troubles]
        lines += [f"{seen.vm}: {problem}" for seen in self.guests for problem in seen.continuity.problems]
        return "\n".join(lines)

    def attach_to(self, sink: Sink, *, failed: bool) -> None:
        """Leave a picture with the test; when it failed, also the story."""
        title = f"migrations of {', '.join(vm.name for vm in self.vms)}"
        sink.picture(title, timeline.picture(title, self.timeline, list(self.keys)))
        for node in self.nodes:
            title, leaving = f"in flight out of {node}", self.in_flight.out_of(node)
            sink.picture(title, in_flight.picture(title, leaving, self.node_limit))
            if leaving and not leaving.unfinished:
                sink.figure(f"time from the first migration out of {node} to the last", f"{leaving.duration:.0f} s")
        if len(self.nodes) > 1:
            title = "in flight in the cluster"
            sink.picture(title, in_flight.picture(title, self.in_flight, self.cluster_limit))
        for seen, workload in zip(self.guests, self.workloads, strict=True):
            if len(seen.beats) > 1:
                downtime = f"{seen.continuity.downtime:.1f} s (beats every {workload.interval:g} s)"
                sink.figure(f"guest-observed downtime of {seen.vm.name}", downtime)
        if failed:
            sink.text("story", self.story())


@contextmanager
def emptied(
    actor: Actor, vms: Sequence[Machine], nodes: Sequence[str], workloads: Sequence[Workload] = ()
) -> Iterator[Emptying]:
    """Nodes that are cordoned, drains that have not asked yet, and a recording that ends when nothing moves any more.

    workloads: of the first VMs, whose guests are then looked into before and after.
    """
    seen = Emptying(tuple(nodes), tuple(vms), outbound_per_node(actor), per_cluster(actor), tuple(workloads))
    started = list(zip(vms, workloads, strict=False))
    recorded = None
    try:
        if started:
            with all_witnessed(actor, started) as seen.guests:
                yield from _during(actor, seen)
        else:
            with watched(actor, vms[0].namespace) as recorded:
                yield from _during(actor, seen)
    finally:
        seen.closed = recorded.timeline if recorded is not None else seen.guests[0].closed if seen.guests else None


def _during(actor: Actor, seen: Emptying) -> Iterator[Emptying]:
    with drained(actor, *seen.nodes, namespace=seen.vms[0].namespace) as seen.drains:
        yield seen
        with suppress(WaitTimeout):  # one that never ends is for the test to judge
            settle(actor, seen.vms[0].namespace)


def settle(actor: Actor, namespace: str) -> None:
    """Return when every migration that is under way in the namespace has ended. Raises WaitTimeout."""
    with step("wait until nothing moves any more", answers=(WaitTimeout,)):
        for migration in actor.rest.list(VMIMS, namespace)["items"]:
            if dig(migration, "status", "phase") not in FINAL:
                actor.waits.wait_for(
                    Watched(VMIMS, namespace, migration["metadata"]["name"]),
                    lambda one: one is None or dig(one, "status", "phase") in FINAL,
                    expecting="final or gone",
                    within=actor.site.timeouts.migration,
                )
