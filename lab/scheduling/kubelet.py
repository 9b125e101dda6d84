"""The kubelets: from bound to running to gone, one pod a reconcile (kubernetes-api sheet §2.5, kubevirt sheet §8.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import NODE, POD
from lab.apiserver.options import DeleteOptions
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.clock import parse_timestamp
from lab.controllers.decisions import Faults, Row, Table, decide, hold
from lab.controllers.effects import Delete, Do, Effect, Patch, Ref, perform
from lab.controllers.events import Emit, EventType
from lab.controllers.runtime import Key, Mapper, same_object
from lab.scheduling import pod_status
from lab.scheduling.addresses import Addresses
from lab.scheduling.delays import Delays
from lab.scheduling.devices import DevicePlugins, NoDeviceError
from lab.scheduling.images import Images
from lab.scheduling.placement import FINAL_PHASES
from lab.scheduling.processes import Processes
from lab.scheduling.requests import requests

Json = Mapping[str, Any]
_BACKOFF, _ERROR = "ImagePullBackOff", "ErrImagePull"


@dataclass(frozen=True, slots=True)
class PodState:
    """One pod on its node, as its kubelet sees it."""

    pod: Json
    machine: Machinery
    now: str
    accepted_at: float | None  # product time; None: not admitted yet
    runs_at: float  # product time at which all containers can run
    bad_image: str | None  # an image no registry has
    program: str  # "" not started, "running", "signalled", "exited"
    exit_code: int
    managed: bool

    @property
    def phase(self) -> str:
        """`status.phase`."""
        return str((self.pod.get("status") or {}).get("phase", "Pending"))

    @property
    def final(self) -> bool:
        """Whether its containers ended for good."""
        return self.phase in FINAL_PHASES

    @property
    def terminating(self) -> bool:
        """Whether somebody deleted it."""
        return "deletionTimestamp" in self.pod["metadata"]

    @property
    def kill_at(self) -> float:
        """Product time at which its grace is over."""
        return parse_timestamp(self.pod["metadata"]["deletionTimestamp"])

    @property
    def waiting_reason(self) -> str:
        """Why some container waits, "" if none does."""
        statuses = (self.pod.get("status") or {}).get("containerStatuses") or ()
        reasons = [entry["state"]["waiting"]["reason"] for entry in statuses if "waiting" in entry["state"]]
        return next((reason for reason in reasons if reason != "ContainerCreating"), "")

    @property
    def ready(self) -> bool:
        """Whether every readiness gate is open."""
        gates = self.pod["spec"].get("readinessGates") or ()
        return all(pod_status.condition_is(self.pod, gate["conditionType"], "True") for gate in gates)

    @property
    def shown_ready(self) -> bool | None:
        """What the Ready condition says; None while it does not speak of readiness gates yet."""
        shown = pod_status.condition_is(self.pod, "Ready", "True")
        entries = (self.pod.get("status") or {}).get("conditions") or ()
        unready = any(entry["type"] == "Ready" and entry.get("reason") == "ReadinessGatesNotReady" for entry in entries)
        return True if shown else (False if unready else None)

    def status(self, body: Mapping[str, Any]) -> Patch:
        """Write this into the pod's status."""
        metadata = self.pod["metadata"]
        return Patch(Ref(POD, metadata["namespace"], metadata["name"]), {"status": dict(body)}, subresource="status")

    def event(self, kind: EventType, reason: str, message: str) -> Emit:
        """An event about the pod."""
        return Emit(self.pod, kind, reason, message, "kubelet", self.pod["spec"]["nodeName"])

    def remove(self) -> Delete:
        """Let the object go."""
        metadata = self.pod["metadata"]
        return Delete(Ref(POD, metadata["namespace"], metadata["name"]), DeleteOptions(grace_period=0))


@dataclass(frozen=True, slots=True)
class Machinery:
    """What kubelets work with besides the API."""

    processes: Processes
    devices: DevicePlugins
    images: Images
    addresses: Addresses
    delays: Delays
    managed: Callable[[Json], bool]  # whether a simulated program runs in this pod


def _accept(state: PodState) -> Sequence[Effect]:
    spec, uid, plugins = state.pod["spec"], state.pod["metadata"]["uid"], state.machine.devices
    known = plugins.resources()
    wanted = {name: count for name, count in requests(state.pod).items() if name in known and count}
    try:
        plugins.allocate(spec["nodeName"], uid, wanted)
    except NoDeviceError as error:
        text = str(error)
        return (
            state.status(pod_status.rejected("UnexpectedAdmissionError", text, state.now)),
            state.event("Warning", "UnexpectedAdmissionError", text),
        )
    return (state.status(pod_status.accepted(state.pod, state.now, state.machine.addresses.node(spec["nodeName"]))),)


def _run(state: PodState) -> Sequence[Effect]:
    metadata, node = state.pod["metadata"], state.pod["spec"]["nodeName"]
    machine, key = state.machine, (metadata["namespace"], metadata["name"])
    return (
        state.status(pod_status.running(state.pod, state.now, machine.addresses.pod(metadata["uid"], node))),
        Do(
            "start containers",
            lambda: machine.processes.start(metadata["uid"], key, managed=machine.managed(state.pod)),
        ),
        *(
            state.event("Normal", "Started", f"Started container {container['name']}")
            for container in state.pod["spec"]["containers"]
        ),
    )


def _image_error(state: PodState) -> Sequence[Effect]:
    image = state.bad_image or ""
    why = f'failed to pull and unpack image "{image}": failed to resolve reference "{image}": {image}: not found'
    message = f'Failed to pull image "{image}": rpc error: code = NotFound desc = {why}'
    return (
        state.status(pod_status.not_pulled(state.pod, image, _ERROR, f"rpc error: code = NotFound desc = {why}")),
        state.event("Warning", "Failed", message),
        state.event("Warning", "Failed", f"Error: {_ERROR}"),
    )


def _image_backoff(state: PodState) -> Sequence[Effect]:
    image = state.bad_image or ""
    text = f'Back-off pulling image "{image}"'
    return (
        state.status(pod_status.not_pulled(state.pod, image, _BACKOFF, text)),
        state.event("Normal", "BackOff", text),
        state.event("Warning", "Failed", f"Error: {_BACKOFF}"),
    )


def _signal(state: PodState) -> Sequence[Effect]:
    uid = state.pod["metadata"]["uid"]
    return (
        Do("signal containers", lambda: state.machine.processes.signal(uid)),
        *(
            state.event("Normal", "Killing", f"Stopping container {container['name']}")
            for container in state.pod["spec"]["containers"]
        ),
    )


def _exit(code: int) -> Callable[[PodState], Sequence[Effect]]:
    return lambda state: (
        Do("end containers", lambda: state.machine.processes.exit(state.pod["metadata"]["uid"], code)),
    )


def _release(state: PodState) -> Do:
    return Do("release devices", lambda: state.machine.devices.release(state.pod["metadata"]["uid"]))


def _after_acceptance(what: str) -> Callable[[PodState], float]:
    return lambda state: (state.accepted_at or 0.0) + state.machine.delays.of(what, state.pod["metadata"]["uid"])


def _stopping_since(state: PodState) -> float:
    """When a program that nobody simulates gives in to the signal, at the latest when its grace is over."""
    grace = float(state.pod["metadata"].get("deletionGracePeriodSeconds") or 0)
    return state.kill_at - grace + min(grace, state.machine.delays.of("stop-container", state.pod["metadata"]["uid"]))


LIFE: Table[PodState] = Table(
    "kubelet",
    (
        Row(
            "gone",
            lambda state: state.final and state.terminating,
            lambda state: (_release(state), state.remove()),
        ),
        Row("over", lambda state: state.final, lambda state: (_release(state),)),
        Row(
            "ends",
            lambda state: state.program == "exited" and state.phase == "Running",
            lambda state: (state.status(pod_status.ended(state.pod, state.exit_code, state.now)),),
        ),
        Row(
            "never ran",
            lambda state: state.terminating and state.phase == "Pending",
            lambda state: (_release(state), state.remove()),
        ),
        Row("told to stop", lambda state: state.terminating and state.program == "running", _signal),
        Row("stops", lambda state: state.terminating and not state.managed, _exit(0), after=_stopping_since),
        Row("killed", lambda state: state.terminating, _exit(137), after=lambda state: state.kill_at),
        Row("accepted", lambda state: state.phase == "Pending" and state.accepted_at is None, _accept),
        Row(
            "image not found",
            lambda state: state.bad_image is not None and state.phase == "Pending" and state.waiting_reason == "",
            _image_error,
            after=_after_acceptance("pull-failed"),
        ),
        Row(
            "backs off",
            lambda state: state.phase == "Pending" and state.waiting_reason == _ERROR,
            _image_backoff,
            after=_after_acceptance("pull-backoff"),
        ),
        Row("without image", lambda state: state.bad_image is not None and state.phase == "Pending", hold),
        Row("runs", lambda state: state.phase == "Pending", _run, after=lambda state: state.runs_at),
        Row(
            "readiness",
            lambda state: state.ready is not state.shown_ready,
            lambda state: (state.status(pod_status.readiness(state.pod, state.ready, state.now)),),
        ),
        Row("settled", lambda _: True, hold),
    ),
)


class Kubelet:
    """All nodes' kubelets."""

    name = "kubelet"

    def __init__(self, api: Api, machine: Machinery, faults: Faults) -> None:
        self._api = api
        self._machine = machine
        self._table = faults.ahead_of(LIFE)
        self._accepted: dict[str, tuple[float, float]] = {}  # by pod UID: admitted at, runs at
        api.listen(POD, self._forget)

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Pods."""
        return {POD: same_object}

    def reconcile(self, key: Key) -> float | None:
        """Bring one bound pod forward."""
        pod = self._api.find(POD, *key)
        node = pod["spec"].get("nodeName") if pod is not None else None
        if pod is None or node is None or self._api.find(NODE, "", node) is None:
            return None
        state = self._look(pod)
        decision = decide(self._table, state, self._api.clock.now())
        caller = Caller(f"system:node:{node}", ("system:nodes", "system:masters"), "kubelet")
        perform(decision.effects, self._api, caller)
        if decision.row == "accepted":
            self._admit(pod)
        return decision.wake_at

    def _look(self, pod: Json) -> PodState:
        uid = pod["metadata"]["uid"]
        images, process = self._machine.images, self._machine.processes.get(uid)
        bad = next((entry["image"] for entry in pod["spec"]["containers"] if not images.pullable(entry["image"])), None)
        program = "" if process is None else "running"
        if process is not None and process.exit_code is not None:
            program = "exited"
        elif process is not None and process.signalled:
            program = "signalled"
        accepted_at, runs_at = self._accepted.get(uid, (None, 0.0))
        return PodState(
            pod=pod,
            machine=self._machine,
            now=self._api.clock.stamp(),
            accepted_at=accepted_at,
            runs_at=runs_at,
            bad_image=bad,
            program=program,
            exit_code=0 if process is None or process.exit_code is None else process.exit_code,
            managed=process is not None and process.managed,
        )

    def _admit(self, pod: Json) -> None:
        """Remember when it was admitted, and draw how long its images and containers take."""
        uid, node, now = pod["metadata"]["uid"], pod["spec"]["nodeName"], self._api.clock.now()
        delays, images = self._machine.delays, self._machine.images
        took = delays.of("start-container", uid)
        for container in pod["spec"]["containers"]:
            image = container["image"]
            if images.pullable(image) and not images.present(node, image):
                took += delays.of("pull", f"{node}/{image}")
                images.keep(node, image)
        self._accepted[uid] = (now, now + took)

    def _forget(self, change: Change) -> None:
        if change.type == "DELETED":
            pod: Json = change.new.obj
            uid = pod["metadata"]["uid"]
            self._accepted.pop(uid, None)
            self._machine.devices.release(uid)
            self._machine.processes.forget(uid)
