"""The VMI as virt-controller wants it, computed from what it sees (kubevirt sheet §2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.kubevirt import conditions
from lab.kubevirt.launcher_pod import LAUNCHER_IMAGE
from lab.kubevirt.pods import compute_image, image_error, unschedulable
from lab.kubevirt.vmi.phases import Readiness
from lab.kubevirt.vmi.view import FOREGROUND, VM_FINALIZER, VmiView

Json = Mapping[str, Any]
_OUTDATED = "kubevirt.io/outdatedLauncherImage"
_NODE = "kubevirt.io/nodeName"
_HANDLED = ("Scheduled", "Running")  # phases in which virt-handler owns the rest of the status


def wanted(view: VmiView, phase: str, ready: Readiness) -> dict[str, Any]:
    """The whole VMI with this phase and readiness."""
    metadata, status = dict(view.vmi["metadata"]), dict(view.vmi.get("status") or {})
    labels = dict(metadata.get("labels") or {})
    status["conditions"] = _conditions(view, phase, ready)
    if view.pods or status.get("activePods") is not None:
        status["activePods"] = {pod["metadata"]["uid"]: pod["spec"].get("nodeName", "") for pod in view.pods}
    if view.pod is not None and not view.final:
        image = compute_image(view.pod)
        status["launcherContainerImageVersion"] = image
        labels.pop(_OUTDATED, None)
        if image != LAUNCHER_IMAGE:
            labels[_OUTDATED] = ""
    if view.phase == "Scheduling" and view.pod is not None:
        status["qosClass"] = (view.pod.get("status") or {}).get("qosClass", "Burstable")
    if phase == "Scheduled" and view.phase == "Scheduling" and view.pod is not None:
        node = view.pod["spec"]["nodeName"]
        status |= {"nodeName": node, "migrationTransport": "Unix"}
        labels[_NODE] = node
    if view.final:
        metadata["finalizers"] = _finalizers(view)
        if not view.pods:
            labels.pop(_OUTDATED, None)
            status["launcherContainerImageVersion"] = ""
    if phase != view.phase:
        status["phase"] = phase
        status["phaseTransitionTimestamps"] = with_phase(status, phase, view.now)
    if labels or "labels" in metadata:
        metadata["labels"] = labels
    return {**view.vmi, "metadata": metadata, "status": status}


def with_phase(status: Json, phase: str, now: str) -> list[Json]:
    """phaseTransitionTimestamps with the first time this phase was reached."""
    stamps = list(status.get("phaseTransitionTimestamps") or ())
    if any(entry["phase"] == phase for entry in stamps):
        return stamps
    return [*stamps, {"phase": phase, "phaseTransitionTimestamp": now}]


def _conditions(view: VmiView, phase: str, ready: Readiness) -> conditions.Conditions:
    found = conditions.updated(
        conditions.of(view.vmi),
        conditions.make(
            "Ready",
            ready.ready,
            ready.reason,
            ready.message,
            transition=ready.transition or view.now,
            probe=None if ready.copied else view.now,
        ),
    )
    if view.phase == "Scheduling" and view.pod is not None:
        found = _scheduled(found, view.pod)
    if view.marked_for_eviction:
        marked = ("EvictionRequested", "VMI is marked for eviction")
        if not conditions.is_true(found, "EvictionRequested"):
            new = conditions.make("EvictionRequested", True, *marked, transition=view.now, probe=view.now)
            found = conditions.updated(found, new)
    else:
        found = conditions.without(found, "EvictionRequested")
    if phase in _HANDLED and view.phase in _HANDLED:
        return found
    return _synchronized(found, view)


def _scheduled(found: conditions.Conditions, pod: Json) -> conditions.Conditions:
    """PodScheduled is shown while it is False, and taken away after."""
    refused = unschedulable(pod)
    if refused is None:
        return conditions.without(found, "PodScheduled")
    return conditions.updated(found, {"reason": "", "message": "", **refused})


def _synchronized(found: conditions.Conditions, view: VmiView) -> conditions.Conditions:
    error = _sync_error(view)
    if error is None:
        return conditions.without(found, "Synchronized")
    return conditions.moved_to_end(found, conditions.make("Synchronized", False, *error, transition=view.now))


def _sync_error(view: VmiView) -> tuple[str, str] | None:
    if view.refusal and view.pod is None:
        return "FailedCreate", view.refusal
    if view.phase == "Scheduling" and view.pod is not None:
        return image_error(view.pod)
    return None


def _finalizers(view: VmiView) -> list[str]:
    """What still holds a final VMI: its pods, and its VM until that has seen the end."""
    kept = list(view.vmi["metadata"].get("finalizers") or ())
    if not view.pods:
        kept = [name for name in kept if name != FOREGROUND]
    if not view.owned:
        kept = [name for name in kept if name != VM_FINALIZER]
    return kept
