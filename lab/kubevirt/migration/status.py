"""The VMIM's status: which phase it is in, and why it failed (kubevirt sheet §4.3, §4.5). First match wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lab.apiserver.builtin.kinds import POD
from lab.controllers.decisions import Row, Table, hold
from lab.controllers.effects import Delete, Effect, Patch, Ref
from lab.controllers.events import Emit, EventType
from lab.kubevirt import conditions
from lab.kubevirt.facts import annotation, condition, is_final, pod_is_down, pod_is_ready
from lab.kubevirt.merging import difference
from lab.kubevirt.migration.names import (
    ABORT_REQUESTED,
    BLOCKED_BY_UTILITY_VOLUMES,
    FAILED,
    FINALIZER,
    HANDED_OFF,
    OBSERVED_ANNOTATIONS,
    PENDING,
    PREPARING_TARGET,
    REJECTED_BY_QUOTA,
    RUNNING,
    SCHEDULED,
    SCHEDULING,
    SUCCEEDED,
    TARGET_READY,
    TARGET_READY_ANNOTATION,
    UNSET,
)
from lab.kubevirt.migration.view import COMPONENT, MigrationView

Then = Callable[[MigrationView], Sequence[Effect]]


def emit(view: MigrationView, kind: EventType, reason: str, message: str) -> Emit:
    """An event on the VMIM."""
    return Emit(view.migration, kind, reason, message, COMPONENT)


def entered(view: MigrationView, new: str, extra: Mapping[str, Any] | None = None) -> Patch:
    """The VMIM enters a phase; the time is written the first time only."""
    stamps = list((view.migration.get("status") or {}).get("phaseTransitionTimestamps") or ())
    if all(entry["phase"] != new for entry in stamps):
        stamps.append({"phase": new, "phaseTransitionTimestamp": view.stamp})
    return Patch(
        view.ref, {"status": {"phase": new, "phaseTransitionTimestamps": stamps, **(extra or {})}}, subresource="status"
    )


def enter(new: str) -> Then:
    """A row that moves the VMIM on."""
    return lambda view: (entered(view, new),)


def fail(message: str) -> Then:
    """A row that ends the VMIM Failed."""
    return lambda view: (entered(view, FAILED), emit(view, "Warning", "FailedMigration", message))


def with_condition(view: MigrationView, kind: str, reason: str = "", message: str = "") -> list[Mapping[str, Any]]:
    """The VMIM's conditions with that one True."""
    new = conditions.make(kind, True, reason, message, transition=None, probe=view.stamp)
    return conditions.updated(conditions.of(view.migration), new)


def without_condition(view: MigrationView, kind: str) -> list[Mapping[str, Any]]:
    """The VMIM's conditions without that one."""
    return conditions.without(conditions.of(view.migration), kind)


def _finish(view: MigrationView) -> Sequence[Effect]:
    """Final: keep a copy of the VMI's migrationState if it is this VMIM's, let the object go."""
    effects: list[Effect] = []
    copied = (view.migration.get("status") or {}).get("migrationState") or {}
    if view.owns_state and (change := difference(copied, view.state)):
        effects.append(Patch(view.ref, {"status": {"migrationState": change}}, subresource="status"))
    return (*effects, *_release(view))


def _release(view: MigrationView) -> Sequence[Effect]:
    finalizers = view.migration["metadata"].get("finalizers") or []
    if FINALIZER not in finalizers:
        return ()
    left = [entry for entry in finalizers if entry != FINALIZER]
    return (Patch(view.ref, {"metadata": {"finalizers": left or None}}),)


def _abandon(view: MigrationView) -> Sequence[Effect]:
    """The VMI is gone, and so go its VMIMs."""
    failed = () if is_final(view.migration) else fail("Migration failed because vmi does not exist.")(view)
    return (*failed, *_release(view), *(() if view.deleting else (Delete(view.ref),)))


def _cancel(view: MigrationView) -> Sequence[Effect]:
    event = emit(view, "Warning", "FailedMigration", "Migration failed due to being canceled")
    return (entered(view, FAILED, {"conditions": with_condition(view, ABORT_REQUESTED)}), event)


def _request_abort(view: MigrationView) -> Sequence[Effect]:
    return (Patch(view.ref, {"status": {"conditions": with_condition(view, ABORT_REQUESTED)}}, subresource="status"),)


def _queue(view: MigrationView) -> Sequence[Effect]:
    source = {} if view.source_pod is None else {"migrationState": {"sourcePod": view.source_pod["metadata"]["name"]}}
    return (entered(view, PENDING, source),)


def _volumes_never_left(view: MigrationView) -> Sequence[Effect]:
    where = f"{view.vmi_ref.namespace}/{view.vmi_ref.name}"
    return fail(
        f"Migration timeout waiting for utility volumes to detach from VMI [{where}]. "
        f"Utility volumes still present after {view.age} seconds."
    )(view)


def _volumes_attached(view: MigrationView) -> Sequence[Effect]:
    where, left = f"{view.vmi_ref.namespace}/{view.vmi_ref.name}", int(view.utility_volumes_at - view.now)
    message = f"Migration waiting for utility volumes to detach from VMI [{where}]. Will timeout in {left} seconds."
    event = emit(view, "Warning", "UtilityVolumeMigrationPending", message)
    if condition(view.migration, BLOCKED_BY_UTILITY_VOLUMES):
        return (event,)
    text = f"Migration is waiting for utility volumes to detach. Will timeout in {left} seconds."
    blocked = with_condition(view, BLOCKED_BY_UTILITY_VOLUMES, "UtilityVolumesPresent", text)
    return (event, Patch(view.ref, {"status": {"conditions": blocked}}, subresource="status"))


def _drop(kind: str) -> Then:
    return lambda view: (
        Patch(view.ref, {"status": {"conditions": without_condition(view, kind)}}, subresource="status"),
    )


def _in(*phases: str) -> Callable[[MigrationView], bool]:
    return lambda view: view.phase in phases


def _pod_ready(view: MigrationView) -> bool:
    return view.pod is not None and pod_is_ready(view.pod)


def _finished(view: MigrationView) -> bool:
    """Whether the VMI says so, and no change that the migration was for is still open."""
    pending = condition(view.there, "HotVCPUChange") is not None or any(
        (condition(view.there, kind) or {}).get("status") == "True" for kind in ("HotMemoryChange", "MigrationRequired")
    )
    return bool(view.state.get("completed")) and not pending


def _note_ready(view: MigrationView) -> Sequence[Effect]:
    pod = view.pod
    if pod is None:
        return ()
    annotations = {TARGET_READY_ANNOTATION: view.state["targetNodeDomainReadyTimestamp"]}
    ref = Ref(POD, pod["metadata"]["namespace"], pod["metadata"]["name"])
    return (Patch(ref, {"metadata": {"annotations": annotations}}),)


def _ready_unnoted(view: MigrationView) -> bool:
    seen = view.pod is not None and annotation(view.pod, TARGET_READY_ANNOTATION) is not None
    return "targetNodeDomainReadyTimestamp" in view.state and not seen


def _succeed(view: MigrationView) -> Sequence[Effect]:
    event = emit(view, "Normal", "SuccessfulMigration", "Source node reported migration succeeded")
    return (entered(view, SUCCEEDED), event)


STATUS: Table[MigrationView] = Table(
    "vmim-status",
    (
        Row("not seen before", lambda v: annotation(v.migration, OBSERVED_ANNOTATIONS[0]) is None, hold),
        Row("VMI is gone", lambda v: v.vmi is None, _abandon),
        Row("final", lambda v: is_final(v.migration), _finish),
        Row("VMI ended", lambda v: is_final(v.there), fail("Migration failed vmi shutdown during migration.")),
        Row("cancelled before hand-off", lambda v: v.deleting and not v.handed_off, _cancel),
        Row(
            "target pod is down",
            lambda v: v.pod is not None and pod_is_down(v.pod),
            fail("Migration failed because target pod shutdown during migration"),
        ),
        Row(
            "target pod is gone",
            lambda v: v.pod is None and v.phase not in (UNSET, PENDING),
            fail("Migration target pod was removed during active migration."),
        ),
        Row(
            "state was cleared",
            lambda v: v.phase in HANDED_OFF and not v.state,
            fail("VMI's migration state was cleared during the active migration."),
        ),
        Row(
            "state was taken over",
            lambda v: v.phase in HANDED_OFF and not v.owns_state,
            fail("VMI's migration state was taken over by another migration job during active migration."),
        ),
        Row(
            "source failed",
            lambda v: v.owns_state and bool(v.state.get("failed")),
            fail("source node reported migration failed"),
        ),
        Row("abort wanted", lambda v: v.deleting and condition(v.migration, ABORT_REQUESTED) is None, _request_abort),
        Row(
            "another migration runs",
            lambda v: v.phase == UNSET and v.rival,
            fail("VMI is not eligible for migration because another migration job is in progress."),
        ),
        Row("queue", _in(UNSET), _queue),
        Row(
            "utility volumes never left",
            lambda v: v.phase == PENDING and v.utility_volumes and v.now >= v.utility_volumes_at,
            _volumes_never_left,
        ),
        Row("utility volumes attached", lambda v: v.phase == PENDING and v.utility_volumes, _volumes_attached),
        Row(
            "utility volumes left",
            lambda v: v.phase == PENDING and condition(v.migration, BLOCKED_BY_UTILITY_VOLUMES) is not None,
            _drop(BLOCKED_BY_UTILITY_VOLUMES),
        ),
        Row("target pod exists", lambda v: v.phase == PENDING and v.pod is not None, enter(SCHEDULING)),
        Row(
            "quota allows it",
            lambda v: v.phase == SCHEDULING and condition(v.migration, REJECTED_BY_QUOTA) is not None,
            _drop(REJECTED_BY_QUOTA),
        ),
        Row("target pod is ready", lambda v: v.phase == SCHEDULING and _pod_ready(v), enter(SCHEDULED)),
        Row(
            "handed off",
            lambda v: v.phase == SCHEDULED and v.owns_state and bool(v.state.get("targetNode")),
            enter(PREPARING_TARGET),
        ),
        Row(
            "target prepared",
            lambda v: v.phase == PREPARING_TARGET and all(v.state.get(k) for k in ("targetNode", "targetNodeAddress")),
            enter(TARGET_READY),
        ),
        Row("started", lambda v: v.phase == TARGET_READY and bool(v.state.get("startTimestamp")), enter(RUNNING)),
        Row("guest runs on target", lambda v: v.phase == RUNNING and _ready_unnoted(v), _note_ready),
        Row("completed", lambda v: v.phase == RUNNING and _finished(v), _succeed),
    ),
)
