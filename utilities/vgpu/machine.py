"""A running VM with a vGPU, and the factory that makes it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from utilities.clients import EVENTS, NODES, VMIS, VMS
from utilities.errors import NotFound, SiteError, WaitTimeout
from utilities.evidence.steps import step
from utilities.guest import GuestKey, GuestShell
from utilities.guest.tunnel import Gateway
from utilities.history import Obj, condition_of, dig
from utilities.kubevirt.actor import Actor
from utilities.kubevirt.launchers import Launchers
from utilities.kubevirt.manifests import Option, devices_of, vm_manifest, with_cloud_init, with_image, with_memory
from utilities.kubevirt.wrapper import create_vm
from utilities.watching import Watched

HOSTNAME = "kubernetes.io/hostname"
_NUDGES = 2


@dataclass(frozen=True, slots=True, repr=False)
class Machine:
    """A VM that exists; `key` names VM and VMI in histories, `uid` is the VMI's."""

    actor: Actor
    namespace: str
    name: str
    uid: str
    shell: GuestShell

    def __repr__(self) -> str:
        """Short: it stands in messages of assertions."""
        return f"VM {self.key}"

    @property
    def key(self) -> str:
        """`namespace/name`."""
        return f"{self.namespace}/{self.name}"

    @property
    def vgpu_resource(self) -> str:
        """Extended resource of the site's vGPUs."""
        return self.actor.site.gpu.profile.resource

    @property
    def launchers(self) -> Launchers:
        """Its launcher pods."""
        return Launchers(self.actor.cluster, self.namespace, self.name, self.uid)

    @property
    def node(self) -> str:
        """Where it runs now."""
        vmi = self.actor.rest.get(VMIS, self.name, self.namespace)
        return str(dig(vmi, "status", "nodeName"))

    def other_node(self) -> str:
        """A node, not its own, that offers the site's vGPUs. Raises SiteError without one."""
        here = self.node
        for node in self.actor.rest.list(NODES, labels=self.actor.site.gpu.nodes)["items"]:
            offered = int(dig(node, "status", "allocatable", self.vgpu_resource) or 0)
            if offered and node["metadata"]["name"] != here:
                return str(node["metadata"]["name"])
        raise SiteError(f"no node but {here} offers {self.vgpu_resource}", next_step="the plan needs two such nodes")

    def annotate(self, name: str, value: str | None) -> None:
        """Set or remove an annotation of the VMI."""
        body = {"metadata": {"annotations": {name: value}}}
        verb = "annotate VM" if value is not None else "remove annotation of VM"
        with step(verb, vm=self.name, annotation=name, value=value):
            self.actor.rest.patch(VMIS, self.name, body, self.namespace)

    def nudge_until_migratable(self) -> None:
        """Touch the VMI, so that its conditions are computed anew, until it is live-migratable (sheet §2.4).

        Touched again when a recompute came before the handler knew the new gate. Raises WaitTimeout.
        """
        with step("touch the VM until it is live-migratable", vm=self.name):
            for attempt in itertools.count(1):
                self.annotate("migration-test-plans/nudge", str(attempt))
                within = self.actor.site.timeouts.condition_recompute / _NUDGES
                try:
                    self._wait_condition("LiveMigratable", "True", within)
                except WaitTimeout:
                    if attempt >= _NUDGES:
                        raise
                else:
                    return

    def wait_warning(self, reason: str) -> None:
        """Return when a warning with that reason was said about the VMI, or when a preparation should have ended."""
        fields = f"involvedObject.name={self.name},type=Warning"
        with suppress(WaitTimeout), step(f"wait for a warning {reason}", answers=(WaitTimeout,), vm=self.name):
            self.actor.waits.wait_for(
                Watched(EVENTS, self.namespace, fields=fields),
                lambda event: event is not None and event.get("reason") == reason,
                expecting=f"a warning {reason} about VMI {self.key}",
                within=self.actor.site.timeouts.target_prepared,
            )

    def _wait_condition(self, condition: str, status: str, within: float) -> None:
        self.actor.waits.wait_for(
            Watched(VMIS, self.namespace, self.name),
            lambda vmi: vmi is not None and (condition_of(vmi, condition) or {}).get("status") == status,
            expecting=f"{condition} {status}",
            within=within,
        )


@dataclass(frozen=True, slots=True)
class Machines:
    """Starts VMs in one namespace; each is deleted, and waited for until gone, when its context ends."""

    actor: Actor
    gateway: Gateway
    namespace: str
    key: GuestKey
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @contextmanager
    def running(self, name: str, *options: Option, with_guest: bool = True) -> Iterator[Machine]:
        """A running VM. with_guest: wait until the guest has an address and its agent answers."""
        with self.fleet(name, *options, count=1, with_guest=with_guest) as (machine,):
            yield machine

    @contextmanager
    def fleet(self, name: str, *options: Option, count: int, with_guest: bool = True) -> Iterator[tuple[Machine, ...]]:
        """Several running VMs of one kind: created together, and deleted together."""
        names = [f"{name}-{next(self._numbers)}" for _ in range(count)]
        guest = self.actor.site.guest
        common = (with_image(guest.image), with_memory(guest.memory), with_cloud_init(self.key.cloud_config()))
        manifests = [vm_manifest(each, self.namespace, *common, *options) for each in names]
        with ExitStack() as undo:
            with step("start VM", vm=names, memory=guest.memory, devices=devices_of(manifests[0])) as starting:
                undo.callback(self._delete, names)
                for manifest in manifests:
                    create_vm(self.actor.cluster, manifest)
                vmis = [self._wait_started(each, with_guest) for each in names]
                starting.note("node", list(dict.fromkeys(dig(vmi, "status", "nodeName") for vmi in vmis)))
                starting.took_since_creation(vmis[-1])
            yield tuple(undo.enter_context(self._machine(vmi)) for vmi in vmis)

    def _wait_started(self, name: str, with_guest: bool) -> Obj:
        guest, timeouts = self.actor.site.guest, self.actor.site.timeouts
        vmi = self._wait(name, _runs, timeouts.vm_running, "Running")
        if not with_guest:
            return vmi
        return self._wait(name, _answers, guest.boot_budget + timeouts.agent, "Running with address and guest agent")

    @contextmanager
    def _machine(self, vmi: Obj) -> Iterator[Machine]:
        name, uid = vmi["metadata"]["name"], vmi["metadata"]["uid"]
        within = self.actor.site.wall(self.actor.site.timeouts.ssh + self.actor.site.guest.boot_budget)
        with GuestShell(self.gateway, self.namespace, name, self.key, within) as shell:
            yield Machine(self.actor, self.namespace, name, uid, shell)

    def _delete(self, names: Sequence[str]) -> None:
        with step("delete VM", vm=names):
            for name in names:
                with suppress(NotFound):
                    self.actor.rest.delete(VMS, name, self.namespace)
            for name in names:
                within = self.actor.site.timeouts.vm_stopped
                self.actor.waits.wait_gone(Watched(VMS, self.namespace, name), within=within)

    def _wait(self, name: str, goal: Callable[[Obj], bool], within: float, what: str) -> Obj:
        found = self.actor.waits.wait_for(
            Watched(VMIS, self.namespace, name),
            lambda vmi: vmi is not None and goal(vmi),
            expecting=what,
            within=within,
            losing=_ended,
        )
        return found or {}


def _ended(vmi: Obj | None) -> str | None:
    phase = dig(vmi, "status", "phase")
    return f"it ended {phase}" if phase in ("Failed", "Succeeded") else None


def _runs(vmi: Obj) -> bool:
    return bool(dig(vmi, "status", "phase") == "Running")


def _answers(vmi: Obj) -> bool:
    agent = condition_of(vmi, "AgentConnected") or {}
    interfaces = dig(vmi, "status", "interfaces") or ()
    return agent.get("status") == "True" and any(interface.get("ipAddress") for interface in interfaces)
