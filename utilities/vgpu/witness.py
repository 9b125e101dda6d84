"""Watching a VM from before something is done to it until after: the cluster's records and the guest's own view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from utilities.clients import EVENTS, PODS, VMIMS, VMIS, VMS
from utilities.errors import GoalLost, GuestError, NotEnoughEvidence, NotFound, WaitTimeout
from utilities.evidence.sink import Sink
from utilities.evidence.steps import step
from utilities.evidence.timeline import picture
from utilities.guest import Workload
from utilities.guest.workload import INTERVAL
from utilities.history import (
    POD,
    VMI,
    Beat,
    Continuity,
    GuestSnapshot,
    Migration,
    Obj,
    Timeline,
    dig,
    judge,
)
from utilities.history.devices import CREATED_BY_LABEL
from utilities.kubevirt.actor import Actor
from utilities.vgpu.guest_devices import GuestDevices
from utilities.vgpu.machine import Machine
from utilities.vgpu.noted import Noted
from utilities.watching import Recorded, Watched, recording

RECORDED = (VMS, VMIS, VMIMS, PODS, EVENTS)
_ENDED = ("Succeeded", "Failed")
_BEATS_AFTER = 3  # beats to see after the end, so that "goes on" is more than the last word before it stopped


@dataclass(frozen=True, slots=True)
class GuestView:
    """What the guest says at one moment.

    identity: of the workload; None when it does not go on. mdev: UUID in the domain of its launcher; None: it has none.
    """

    identity: GuestSnapshot | None
    devices: GuestDevices
    mdev: str | None


@dataclass(slots=True, repr=False)
class Seen(Noted):
    """What was seen of one VM. after: None when the guest does not answer any more."""

    vm: Machine
    node_before: str = ""
    before: GuestView | None = None
    after: GuestView | None = None
    beats: tuple[Beat, ...] = ()
    beats_at_end: int = 0
    guest_error: str = ""

    def __repr__(self) -> str:
        """Short: it stands in messages of assertions, beside the story."""
        return f"<what was seen of {self.vm}>"

    @property
    def migrations(self) -> tuple[Migration, ...]:
        """Migrations of the VM, oldest first."""
        return self.timeline.migrations(vmi=self.vm.key).all

    @property
    def migration(self) -> Migration:
        """The latest one. Raises GoalLost when there is none because of a trouble, NotEnoughEvidence otherwise."""
        if self.migrations:
            return self.migrations[-1]
        what = f"no migration of {self.vm.key} was recorded"
        if self.troubles:
            reasons = "; ".join(str(trouble) for trouble in self.troubles)
            raise GoalLost(f"{what}: {reasons}", next_step="find out why the product refused it")
        raise NotEnoughEvidence(what, next_step="read the story")

    @property
    def succeeded(self) -> bool:
        """Whether there is a migration, and the latest one ended well."""
        return bool(self.migrations) and self.migrations[-1].succeeded

    @property
    def continuity(self) -> Continuity:
        """Identity and heartbeat, before against after; a guest that no longer answers has not continued."""
        if self.before is None or self.before.identity is None:
            raise NotEnoughEvidence("the guest was not looked at before", next_step="start the workload first")
        if self.after is None or self.after.identity is None:
            problem = f"the workload does not go on: {self.guest_error}"
            return Continuity((problem,), float("inf"), 0.0, len(self.beats))
        return judge(self.before.identity, self.after.identity, self.beats)

    @property
    def beats_after_end(self) -> int:
        """Beats between the end of what was done and the last look at the guest."""
        return len(self.beats) - self.beats_at_end

    @property
    def launchers_left(self) -> int:
        """Launcher pods of the VM that had not ended when the recording did."""
        last = {record.uid: record for record in self.timeline.of_kind(POD)}
        return sum(
            not record.gone
            and dig(record.object, "metadata", "labels", CREATED_BY_LABEL) == self.vm.uid
            and dig(record.object, "status", "phase") not in _ENDED
            for record in last.values()
        )

    @property
    def stayed_untouched(self) -> bool:
        """Same instance on the same node, never paused or stopped, process and heartbeat unbroken, vGPU as before."""
        return not self.disturbances

    @property
    def disturbances(self) -> list[str]:
        """What `stayed_untouched` found."""
        timeline, key = self.timeline, self.vm.key
        phases = {step.value for step in timeline.steps(VMI, key, lambda vmi: dig(vmi, "status", "phase"))}
        paused = [step.value for step in timeline.conditions(VMI, key, "Paused") if step.value is not None]
        found = [
            f"{what}: {value} instead of {wanted}"
            for what, value, wanted in (
                ("nodes", list(timeline.nodes(key)), [self.node_before]),
                ("instances", list(timeline.identities(key)), [self.vm.uid]),
                ("phases", phases, {"Running"}),
                ("paused", paused, []),
                ("devices in the guest", self.after and self.after.devices, self.before and self.before.devices),
                ("mediated device", self.after and self.after.mdev, self.before and self.before.mdev),
            )
            if value != wanted
        ]
        return found + list(self.continuity.problems)

    def values_of(self, pick: Callable[[Obj], Any]) -> list[Any]:
        """Values an aspect of the VMI went through while it was there, without repetitions and absences."""
        return [step.value for step in self.timeline.steps(VMI, self.vm.key, pick) if step.value is not None]

    def story(self) -> str:
        """Who changed to what and when, with what differs from before: the message of a failed assertion."""
        differences = "; ".join(self.disturbances) or "nothing"
        troubles = "".join(f"\nTrouble: {trouble}" for trouble in self.troubles)
        return f"{self.timeline.story()}{troubles}\nDifferent from before: {differences}"

    def attach_to(self, sink: Sink, *, failed: bool) -> None:
        """Leave picture and figures with the test; when it failed, also the story and the objects."""
        attach_timeline(sink, self.vm, self.timeline, self.beats)
        if len(self.beats) > 1 and self.after is not None:
            downtime = self.continuity.downtime
            sink.figure("guest-observed downtime", f"{downtime:.1f} s (beats every {INTERVAL:g} s)")
        if failed:
            sink.text("story", self.story())
            sink.objects("last states", _last_states(self.timeline))


def attach_timeline(sink: Sink, vm: Machine, timeline: Timeline, beats: Sequence[Beat] = ()) -> None:
    """Leave the picture of a VM's recording with the test."""
    title = f"timeline of {vm.name}"
    sink.picture(title, picture(title, timeline, [vm.key], beats))


@contextmanager
def witnessed(actor: Actor, vm: Machine, workload: Workload) -> Iterator[Seen]:
    """Record while the block runs, and look at the guest before and after; the VM must run."""
    with all_witnessed(actor, [(vm, workload)]) as (seen,):
        yield seen


@contextmanager
def all_witnessed(actor: Actor, started: Sequence[tuple[Machine, Workload]]) -> Iterator[tuple[Seen, ...]]:
    """The same for several VMs of one namespace, in one recording."""
    seen = tuple(Seen(vm, node_before=vm.node) for vm, _ in started)
    recorded = None
    try:
        with watched(actor, started[0][0].namespace) as recorded:
            for one, (vm, workload) in zip(seen, started, strict=True):
                one.before = look(vm, workload.snapshot())
            yield seen
            for one, (vm, workload) in zip(seen, started, strict=True):
                _let_launchers_end(actor, vm)
                vm.shell.reconnect()
                _look_again(one, workload)
    finally:
        for one in seen:
            one.closed = None if recorded is None else recorded.timeline


def watched(actor: Actor, namespace: str) -> AbstractContextManager[Recorded]:
    """Record everything that concerns VMs of a namespace while the block runs."""
    return recording(actor.rest, [Watched(kind, namespace) for kind in RECORDED])


def look(vm: Machine, identity: GuestSnapshot | None) -> GuestView:
    """The guest as it is now, around what is known of its workload. Raises GuestError when it does not answer."""
    with step("look at the guest", answers=(GuestError,), vm=vm.name) as looking:
        view = GuestView(identity, GuestDevices.read(vm.shell), _mediated_device(vm))
        looking.note("process", identity.pid if identity else "gone")
        looking.note("boot id", identity.boot_id if identity else "unknown")
        looking.note("GPUs", [line.partition(" (")[0] for line in view.devices.listed])
        looking.note("mdev", view.mdev or "none")
    return view


def _mediated_device(vm: Machine) -> str | None:
    try:
        return vm.launchers.mediated_device()
    except NotFound:
        return None


def _look_again(seen: Seen, workload: Workload) -> None:
    """The guest after what was done to it; what does not answer is left out, for the test to judge."""
    try:
        seen.vm.shell.run("true")  # a guest that is not there is waited for once, not for every question
        seen.after = look(seen.vm, _identity_after(seen, workload))
    except GuestError as error:
        seen.guest_error = seen.guest_error or str(error)


def _identity_after(seen: Seen, workload: Workload) -> GuestSnapshot | None:
    """The workload after some more beats; None, and the reason noted, when they do not come or it is gone."""
    try:
        with step("wait for heartbeats", answers=(GuestError,), vm=seen.vm.name) as waiting:
            seen.beats_at_end = len(workload.beats())
            waiting.note("beats before", seen.beats_at_end)
            workload.wait_beats(seen.beats_at_end + _BEATS_AFTER)
        identity = workload.snapshot()
        seen.beats = workload.beats()
    except GuestError as error:
        seen.guest_error = str(error)
        return None
    return identity


def _let_launchers_end(actor: Actor, vm: Machine) -> None:
    """Wait until no launcher but the current one is left; one that stays is for the test to judge."""
    try:
        node = vm.node
    except NotFound:  # so is an instance that is gone
        return
    for pod in vm.launchers.unfinished():
        if dig(pod, "spec", "nodeName") == node:
            continue
        name = pod["metadata"]["name"]
        try:
            actor.waits.wait_for(
                Watched(PODS, vm.namespace, name),
                lambda state: state is None or dig(state, "status", "phase") in _ENDED,
                expecting="ended",
                within=actor.site.timeouts.target_domain,
            )
        except WaitTimeout:
            return


def _last_states(timeline: Timeline) -> Sequence[Obj]:
    last: dict[tuple[str, str], Obj] = {}
    for record in timeline.records:
        if record.kind != "Event":
            last[record.kind, record.uid] = record.object
    return list(last.values())
