"""The VMIM controller's work: target pod, hand-off, cancelling, timeouts (kubevirt sheet §4.3, §4.6 to §4.10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.errors import ApiError
from lab.controllers.decisions import Row, Table, hold
from lab.controllers.effects import Delete, Effect, Patch, Ref
from lab.controllers.events import Emit
from lab.kubevirt.facts import (
    annotation,
    condition,
    is_deleting,
    phase,
    pod_is_down,
    pod_is_pending,
    pod_is_ready,
    pod_is_unschedulable,
    uid,
)
from lab.kubevirt.launcher_pod import RenderError, cpu_vendor_selector, render
from lab.kubevirt.merging import difference
from lab.kubevirt.migration.limits import requeue_delay
from lab.kubevirt.migration.names import (
    BEFORE_HAND_OFF,
    FAILED,
    MEMORY_OVERHEAD_ANNOTATION,
    OBSERVED_ANNOTATIONS,
    PENDING,
    PREPARING_TARGET,
    REJECTED_BY_QUOTA,
    RUNNING,
    SCHEDULED,
    SCHEDULING,
    TARGET_NODE_LABEL,
    TARGET_READY,
    VMI_NAME_LABEL,
)
from lab.kubevirt.migration.policies import Settings
from lab.kubevirt.migration.status import emit, with_condition
from lab.kubevirt.migration.view import COMPONENT, MigrationView

_SECOND_POD_DELAY = 1.0


@dataclass(frozen=True, slots=True)
class CreateTargetPod:
    """The target pod of a VMIM, rendered from the VMI as it is now; what goes wrong is told in events."""

    view: MigrationView

    def apply(self, api: Api, caller: Caller) -> None:
        """Create it."""
        view = self.view
        selector = {} if view.node is None else cpu_vendor_selector(view.node)
        try:
            pod = api.create(
                POD, render(view.there, view.config, node_selector=selector, migration=view.migration), caller=caller
            )
        except RenderError as error:
            self._failed(f"failed to render launch manifest: {error}").apply(api, caller)
            return
        except ApiError as error:
            self._failed(f"Error creating pod: {error}").apply(api, caller)
            if "exceeded quota" in error.message and condition(view.migration, REJECTED_BY_QUOTA) is None:
                conditions = with_condition(view, REJECTED_BY_QUOTA)
                Patch(view.ref, {"status": {"conditions": conditions}}, subresource="status").apply(api, caller)
            return
        message = f"Created migration target pod {pod['metadata']['name']}"
        emit(view, "Normal", "SuccessfulCreate", message).apply(api, caller)

    def _failed(self, message: str) -> Emit:
        return Emit(self.view.there, "Warning", "FailedCreate", message, COMPONENT)


def hand_over(view: MigrationView, settings: Settings) -> Sequence[Effect]:
    """Give the VMI to the virt-handlers: a new migrationState with these settings, and the target's node as label."""
    pod, vmi = view.pod, view.there
    if pod is None:
        return ()
    state: dict[str, Any] = {
        "migrationUid": uid(view.migration),
        "targetNode": pod["spec"]["nodeName"],
        "sourceNode": vmi["status"]["nodeName"],
        "targetPod": pod["metadata"]["name"],
        "migrationConfiguration": settings.to_json(),
    }
    source_pod = ((view.migration.get("status") or {}).get("migrationState") or {}).get("sourcePod")
    if source_pod:
        state["sourcePod"] = source_pod
    overhead = annotation(pod, MEMORY_OVERHEAD_ANNOTATION)
    if overhead is not None and view.config.on("VmiMemoryOverheadReport"):
        state["targetMemoryOverhead"] = overhead
    if settings.policy is not None:
        state["migrationPolicyName"] = settings.policy
    change = {
        "metadata": {"labels": {TARGET_NODE_LABEL: pod["spec"]["nodeName"]}},
        "status": {"migrationState": difference(view.state, state)},
    }
    message = "Migration target pod is ready for preparation by virt-handler."
    return (Patch(view.vmi_ref, change), emit(view, "Normal", "SuccessfulHandOver", message))


def _observe(view: MigrationView) -> Sequence[Effect]:
    labels = view.migration["metadata"].get("labels") or {}
    metadata = {
        "annotations": dict.fromkeys(OBSERVED_ANNOTATIONS, "v1"),
        "labels": {VMI_NAME_LABEL: labels.get(VMI_NAME_LABEL, view.vmi_ref.name)},
    }
    return (Patch(view.ref, {"metadata": metadata}),)


def _delete_pod(view: MigrationView, message: str) -> Sequence[Effect]:
    pod = view.pod
    if pod is None or is_deleting(pod):
        return ()
    ref = Ref(POD, pod["metadata"]["namespace"], pod["metadata"]["name"])
    return (Delete(ref), emit(view, "Normal", "SuccessfulDelete", message))


def _cancel(view: MigrationView) -> Sequence[Effect]:
    return _delete_pod(view, f"migration canceled and pod {_pod_name(view)} is deleted")


def _backoff(view: MigrationView) -> Sequence[Effect]:
    message = f"backoff migrating vmi {view.vmi_ref.namespace}/{view.vmi_ref.name}"
    return (Emit(view.there, "Warning", "MigrationBackoff", message, COMPONENT),)


def _unschedulable_event(view: MigrationView) -> Emit:
    where = f"{view.vmi_ref.namespace}/{view.vmi_ref.name}"
    message = f"Migration target pod for VMI [{where}] is currently unschedulable."
    return emit(view, "Warning", "migrationTargetPodUnschedulable", message)


def _unschedulable_too_long(view: MigrationView) -> Sequence[Effect]:
    message = f"unschedulable pod {_pod_name(view)} timeout period exceeded"
    return (_unschedulable_event(view), *_delete_pod(view, message))


def _pending_too_long(view: MigrationView) -> Sequence[Effect]:
    return _delete_pod(view, f"pending pod {_pod_name(view)} timeout period exceeded")


def _target_is_down(view: MigrationView) -> Sequence[Effect]:
    """The VMI's migrationState says that the target pod died; nothing that is there already is overwritten."""
    state = view.state
    change: dict[str, Any] = {"failed": True, "completed": True}
    change |= {key: view.stamp for key in ("endTimestamp", "startTimestamp") if not state.get(key)}
    if not state.get("failureReason"):
        change["failureReason"] = "Target pod is down"
    message = f"VirtualMachineInstance migration uid {uid(view.migration)} failed. reason: Target pod is down"
    event = Emit(view.there, "Warning", "FailedMigration", message, COMPONENT)
    return (Patch(view.vmi_ref, {"status": {"migrationState": change}}), event)


def _abort(view: MigrationView) -> Sequence[Effect]:
    message = "Migration is ready to be canceled by virt-handler."
    return (
        Patch(view.vmi_ref, {"status": {"migrationState": {"abortRequested": True}}}),
        emit(view, "Normal", "SuccessfulAbortMigration", message),
    )


def _pod_name(view: MigrationView) -> str:
    pod = view.pod
    return "" if pod is None else f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def _looks_again(delay: Callable[[MigrationView], float]) -> Callable[[MigrationView], float]:
    """A row that only waits: `delay` product seconds from now, or until something changes."""
    return lambda view: view.now + delay(view)


def _waits(view: MigrationView) -> bool:
    return view.phase == PENDING and view.pod is None


def _pod_pending(view: MigrationView) -> bool:
    return view.phase in (PENDING, SCHEDULING) and view.pod is not None and pod_is_pending(view.pod)


def _unschedulable(view: MigrationView) -> bool:
    return _pod_pending(view) and view.pod is not None and pod_is_unschedulable(view.pod)


def _died_before_start(view: MigrationView) -> bool:
    down = view.pod is None or pod_is_down(view.pod)
    began = any(view.state.get(key) for key in ("startTimestamp", "failed", "completed"))
    return view.phase in (PREPARING_TARGET, TARGET_READY) and down and view.owns_state and not began


WORK: Table[MigrationView] = Table(
    "vmim-work",
    (
        Row("not seen before", lambda v: annotation(v.migration, OBSERVED_ANNOTATIONS[0]) is None, _observe),
        Row("VMI goes", lambda v: v.vmi is None or is_deleting(v.there), hold),
        Row("finished", lambda v: v.owns_state and bool(v.state.get("completed")), hold),
        Row("another migration runs", lambda v: v.rival, hold),
        Row("cancel", lambda v: v.deleting and v.phase in BEFORE_HAND_OFF and not v.owns_state, _cancel),
        Row("backoff is told", lambda v: _waits(v) and v.now < v.backoff_until, _backoff),
        Row("utility volumes attached", lambda v: v.phase == PENDING and v.utility_volumes, hold),
        Row("no source pod", lambda v: _waits(v) and v.source_pod is None, hold),
        Row(
            "a second pod lives",
            lambda v: _waits(v) and v.active_pods > 1,
            hold,
            _looks_again(lambda _: _SECOND_POD_DELAY),
        ),
        Row(
            "cluster is at its limit",
            lambda v: _waits(v) and v.slots.cluster_is_full(v.config.migrations.parallel_per_cluster),
            hold,
            _looks_again(lambda v: requeue_delay(v.migration)),
        ),
        Row(
            "node is at its limit",
            lambda v: _waits(v) and v.slots.node_is_full(v.config.migrations.parallel_outbound_per_node),
            hold,
            _looks_again(lambda v: requeue_delay(v.migration)),
        ),
        Row("create target pod", lambda v: _waits(v) and phase(v.there) == RUNNING, lambda v: (CreateTargetPod(v),)),
        Row(
            "unschedulable too long",
            lambda v: _unschedulable(v) and v.now >= v.unschedulable_at,
            _unschedulable_too_long,
        ),
        Row("pending too long", lambda v: _pod_pending(v) and v.now >= v.pending_at, _pending_too_long),
        Row("unschedulable", _unschedulable, lambda v: (_unschedulable_event(v),)),
        Row(
            "hand off",
            lambda v: v.phase == SCHEDULED and not v.owns_state and v.pod is not None and pod_is_ready(v.pod),
            lambda v: hand_over(v, v.settings),
        ),
        Row("target died before the start", _died_before_start, _target_is_down),
        Row("target died", lambda v: v.phase == FAILED and v.owns_state and not v.state.get("failed"), _target_is_down),
        Row(
            "abort",
            lambda v: v.phase == RUNNING and v.deleting and v.owns_state and not v.state.get("abortRequested"),
            _abort,
        ),
    ),
)
