"""The target half of virt-handler: prepares the node, takes the guest over, cleans up (kubevirt sheet §4.4, §4.7)."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.resources import Resource
from lab.clock import timestamp
from lab.controllers.decisions import Faults, Row, Table, decide, hold
from lab.controllers.effects import Do, Effect, Patch, Ref, perform
from lab.controllers.events import Emit, EventType
from lab.controllers.runtime import Key, Mapper, same_object
from lab.kubevirt.config import ComponentConfig, KubeVirtConfig
from lab.kubevirt.domains import Domain
from lab.kubevirt.facts import (
    Json,
    annotation,
    compute_arguments,
    gpus,
    is_deleting,
    is_done,
    is_final,
    label,
    migration_state,
    pod_is_down,
    uid,
)
from lab.kubevirt.gates import VGPU_LIVE_MIGRATION
from lab.kubevirt.kinds import VMI
from lab.kubevirt.launcher_pod import HOOK_ARG
from lab.kubevirt.migration.engine import Engine
from lab.kubevirt.migration.job import Job
from lab.kubevirt.migration.names import (
    BLOCK_TARGET_ANNOTATION,
    EVICTION_SOURCE_ANNOTATION,
    NODE_NAME_LABEL,
    OUTDATED_IMAGE_LABEL,
    TARGET_NODE_LABEL,
)
from lab.kubevirt.migration.source import COMPONENT, of_target_pod

_PREPARE = (2.0, 4.0)  # product seconds from hand-off to a prepared target
_FINALIZE = 0.6  # product seconds between the switch of nodeName and completed
_LOST = 60.0  # product seconds a guest may take to show up on the target
_PORTS = (0, 49152)  # libvirt's own, and QEMU's stream
_BLOCK_PORT = 49153
_RETRIES = (1.0, 1000.0)  # first and longest delay between two attempts; doubles


@dataclass(frozen=True, slots=True)
class TargetView:
    """A VMI as the handler of the node it moves to sees it."""

    vmi: Json
    state: Json
    job: Job | None  # of this migrationState
    domain: Domain | None
    pod: Json | None  # the target pod
    config: KubeVirtConfig
    stamp: str
    handed_at: float  # product time at which the handler saw the hand-off
    signal: Callable[[str], None]  # asks the program of a pod (by UID) to end

    @property
    def node(self) -> str:
        """The target node."""
        return str(self.state.get("targetNode", ""))

    @property
    def is_target(self) -> bool:
        """Whether the VMI comes to this handler's node, or just came."""
        ends = is_final(self.vmi) or is_deleting(self.vmi)
        return bool(self.state) and not ends and bool(self.node) and label(self.vmi, TARGET_NODE_LABEL) == self.node

    @property
    def guest_is_here(self) -> bool:
        """Whether the guest is in the target pod."""
        domain = self.domain
        return domain is not None and not domain.ended and self.pod is not None and domain.pod_uid == uid(self.pod)

    @property
    def over(self) -> bool:
        """Whether the launcher says that the guest has moved."""
        return self.job is not None and not self.job.active and not self.job.failed

    @property
    def error(self) -> str:
        """What keeps the launcher from preparing for the guest, "" if nothing does."""
        name, devices = self.vmi["metadata"]["name"], len(gpus(self.vmi))
        vgpu = self.config.on(VGPU_LIVE_MIGRATION) and self.domain is not None and bool(self.domain.mdevs)
        if vgpu and devices > 1:
            return _conversion(
                f"vGPU live migration currently only supports a single vGPU, found {devices} for vmi {name}"
            )
        if vgpu and self.pod is not None and HOOK_ARG not in compute_arguments(self.pod):
            return _conversion(f"vGPU live migration requires LibvirtHooksServerAndClient feature gate for vmi {name}")
        if annotation(self.vmi, BLOCK_TARGET_ANNOTATION) is not None:
            return _sync("Blocking preparation of migration target in order to satisfy a functional test condition")
        return ""

    @property
    def since(self) -> float:
        """Since when it is as it is: the end of the job, or the hand-off."""
        return self.handed_at if self.job is None or self.job.ended_at is None else self.job.ended_at

    @property
    def ref(self) -> Ref:
        """The VMI."""
        return Ref(VMI, self.vmi["metadata"]["namespace"], self.vmi["metadata"]["name"])

    def event(self, kind: EventType, reason: str, message: str) -> Emit:
        """An event on the VMI."""
        return Emit(self.vmi, kind, reason, message, COMPONENT, self.node)

    def write(self, state: Mapping[str, Any]) -> Patch:
        """Change fields of migrationState."""
        return Patch(self.ref, {"status": {"migrationState": dict(state)}})


def _sync(error: str) -> str:
    return f'syncing migration target failed: server error. command SyncMigrationTarget failed: "{error}"'


def _conversion(error: str) -> str:
    return _sync(f"Failed to generate libvirt domain from VMI spec: {error}")


def forget(view: TargetView) -> Patch:
    """The VMI no longer concerns this handler."""
    return Patch(view.ref, {"metadata": {"labels": {TARGET_NODE_LABEL: None}}})


def _clean_up_failure(view: TargetView) -> Sequence[Effect]:
    pod = view.pod
    ends = () if pod is None else (Do("target launcher ends", lambda: view.signal(uid(pod))),)
    return (*ends, forget(view))


def _lose(view: TargetView) -> Sequence[Effect]:
    message = (
        "The VirtualMachineInstance's domain was never observed on the target after the migration completed "
        "within the timeout period."
    )
    state = {"failed": True, "completed": True, "endTimestamp": view.state.get("endTimestamp") or view.stamp}
    return (
        Patch(view.ref, {"status": {"phase": "Failed", "migrationState": state}}),
        view.event("Warning", "Migrated", message),
    )


def _see_guest(view: TargetView) -> Sequence[Effect]:
    return (view.write({"targetNodeDomainDetected": True, "targetNodeDomainReadyTimestamp": view.stamp}),)


def take_over(view: TargetView) -> Patch:
    """First part of success: the VMI is on this node now; completed comes with the next look (sheet §4.7)."""
    job, pod = view.job, view.pod
    ended_at = view.stamp if job is None or job.ended_at is None else timestamp(job.ended_at)
    state: dict[str, Any] = {"endTimestamp": ended_at}
    if job is not None:
        state |= {"startTimestamp": timestamp(job.started_at), "mode": job.mode}
        if job.abort_status:
            state["abortStatus"] = job.abort_status
    status: dict[str, Any] = {
        "nodeName": view.node,
        "evacuationNodeName": None,
        "launcherContainerImageVersion": "",
        "migrationTransport": "Unix",
        "migrationState": state,
    }
    interfaces = list((view.vmi.get("status") or {}).get("interfaces") or ())
    address = {} if pod is None else pod.get("status") or {}
    if interfaces and address.get("podIP"):
        addresses = [entry["ip"] for entry in address.get("podIPs") or ({"ip": address["podIP"]},)]
        status["interfaces"] = [
            {**interfaces[0], "ipAddress": address["podIP"], "ipAddresses": addresses},
            *interfaces[1:],
        ]
    if view.state.get("targetMemoryOverhead"):
        status["memory"] = {"memoryOverhead": view.state["targetMemoryOverhead"]}
    metadata = {
        "labels": {NODE_NAME_LABEL: view.node, OUTDATED_IMAGE_LABEL: None},
        "annotations": {EVICTION_SOURCE_ANNOTATION: None},
    }
    return Patch(view.ref, {"metadata": metadata, "status": status})


def _acknowledge(view: TargetView) -> Sequence[Effect]:
    message = f"The VirtualMachineInstance migrated to node {view.node}."
    return (take_over(view), view.event("Normal", "Migrated", message))


def _refuse(view: TargetView) -> Sequence[Effect]:
    return (view.event("Warning", "SyncFailed", view.error),)


def _prepare(view: TargetView) -> Sequence[Effect]:
    block = (view.vmi.get("status") or {}).get("migrationMethod") == "BlockMigration"
    targets = (*_PORTS, *((_BLOCK_PORT,) if block else ()))
    listening = random.Random(str(view.state.get("migrationUid"))).sample(range(32768, 61000), len(targets))
    ports = {str(port): target for port, target in zip(listening, targets, strict=True)}
    address = "" if view.pod is None else (view.pod.get("status") or {}).get("hostIP", "")
    network = "migration" if view.config.migrations.network else "pod"
    state = {
        "targetNodeAddress": address,
        "targetDirectMigrationNodePorts": ports,
        "migrationNetworkType": network,
    }
    message = f"Migration Target is listening at {address}, on ports: {','.join(ports)}"
    return (
        view.event("Normal", "PreparingTarget", "VirtualMachineInstance Migration Target Prepared."),
        view.event("Normal", "PreparingTarget", message),
        view.write(state),
    )


def _preparation(view: TargetView) -> float:
    """Product seconds from hand-off until the launcher has an answer; drawn from the migration's UID."""
    return random.Random(f"prepare/{view.state.get('migrationUid')}").uniform(*_PREPARE)


TARGET: Table[TargetView] = Table(
    "migration-target",
    (
        Row("not a target", lambda view: not view.is_target, hold),
        Row("failed", lambda view: is_done(view.state) and bool(view.state.get("failed")), _clean_up_failure),
        Row("completed", lambda view: is_done(view.state), lambda view: (forget(view),)),
        Row(
            "finalize",
            lambda view: bool(view.state.get("startTimestamp") and view.state.get("endTimestamp")),
            lambda view: (view.write({"completed": True}),),
            after=_FINALIZE,
        ),
        Row(
            "guest is here",
            lambda view: view.guest_is_here and not view.state.get("targetNodeDomainDetected"),
            _see_guest,
        ),
        Row("guest has arrived", lambda view: view.over and view.guest_is_here, _acknowledge),
        Row("guest never arrived", lambda view: view.over, _lose, after=_LOST),
        Row("under way", lambda view: bool(view.state.get("startTimestamp")), hold),
        Row("pod is down", lambda view: view.pod is None or pod_is_down(view.pod), hold),
        Row("prepared", lambda view: bool(view.state.get("targetNodeAddress")), hold),
        Row("cannot prepare", lambda view: view.error != "", _refuse, after=_preparation),
        Row("prepare", lambda _: True, _prepare, after=_preparation),
    ),
    since=lambda view: view.since,
)


class TargetHandler:
    """All nodes' target halves."""

    name = "virt-handler-target"

    def __init__(
        self,
        api: Api,
        config: ComponentConfig,
        engine: Engine,
        signal: Callable[[str], None],
        caller: Caller,
        faults: Faults,
    ) -> None:
        self._api = api
        self._config = config
        self._engine = engine
        self._signal = signal
        self._caller = caller
        self._table = faults.ahead_of(TARGET)
        self._handed: dict[Key, tuple[str, float, int]] = {}  # by VMI: migration UID, seen at, failed attempts

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """VMIs, and target pods."""
        return {VMI: same_object, POD: of_target_pod}

    def reconcile(self, key: Key) -> float | None:
        """Look at one VMI."""
        vmi = self._api.find(VMI, *key)
        state = {} if vmi is None else migration_state(vmi)
        if vmi is None or not state:
            self._handed.pop(key, None)
            return None
        now = self._api.clock.now()
        view = self._look(vmi, state, self._seen(key, str(state.get("migrationUid")), now))
        decision = decide(self._table, view, now)
        perform(decision.effects, self._api, self._caller)
        return self._retry(key, now) if decision.row == "cannot prepare" and decision.effects else decision.wake_at

    def _seen(self, key: Key, migration: str, now: float) -> float:
        """When this migration was first seen here."""
        if self._handed.get(key, ("", now, 0))[0] != migration:
            self._handed[key] = (migration, now, 0)
        return self._handed[key][1]

    def _look(self, vmi: Json, state: Json, handed_at: float) -> TargetView:
        job = self._engine.job(uid(vmi))
        return TargetView(
            vmi=vmi,
            state=state,
            job=job if job is not None and job.order.uid == state.get("migrationUid") else None,
            domain=self._engine.domains.get(uid(vmi)),
            pod=self._api.find(POD, vmi["metadata"]["namespace"], str(state.get("targetPod", ""))),
            config=self._config.current,
            stamp=self._api.clock.stamp(),
            handed_at=handed_at,
            signal=self._signal,
        )

    def _retry(self, key: Key, now: float) -> float:
        migration, since, failures = self._handed[key]
        self._handed[key] = (migration, since, failures + 1)
        first, longest = _RETRIES
        return now + min(longest, first * (1 << min(failures, 16)))
