"""One short line for the state of an object: for stories, progress and the messages of failed waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from utilities.history.objects import EVENT, EVICTION, HYPERVISOR, POD, VM, VMI, VMIM, Obj, condition_of, dig

SHORT = {VM: "VM", VMI: "VMI", VMIM: "VMIM"}
"""Kinds by their short names; others keep their own."""


def headline(kind: str, obj: Obj) -> str:
    """The state of an object in a few words, "" if it has none that matters."""
    parts = _PARTS.get(kind, _any)(obj)
    if dig(obj, "metadata", "deletionTimestamp"):
        parts.append("deletion asked")
    return ", ".join(part for part in parts if part)


def _any(obj: Obj) -> list[str]:
    """Whatever the object calls its state: printableStatus, phase, or its Ready or Available condition."""
    status = dig(obj, "status", "printableStatus") or dig(obj, "status", "phase")
    if isinstance(status, str):
        return [status]
    for name in ("Ready", "Available"):
        if condition := condition_of(obj, name):
            return [f"{name} {condition.get('status')}", condition.get("reason") or ""]
    return []


def _vmi(obj: Obj) -> list[str]:
    parts = [str(dig(obj, "status", "phase") or "new")]
    if node := dig(obj, "status", "nodeName"):
        parts[0] += f" on {node}"
    if paused := condition_of(obj, "Paused"):
        parts.append(f"paused ({paused.get('reason')})")
    migratable = condition_of(obj, "LiveMigratable")
    if migratable and migratable.get("status") == "False":
        parts.append(f"not migratable ({migratable.get('reason')})")
    state = dig(obj, "status", "migrationState") or {}
    if state.get("targetNode"):
        parts.append(f"migration {state.get('sourceNode')} to {state['targetNode']} {_outcome(state)}")
    return parts


def _outcome(state: Obj) -> str:
    if state.get("failed"):
        return f"failed: {state.get('failureReason')}"
    if state.get("completed"):
        return f"completed in mode {state.get('mode')}"
    if state.get("abortRequested"):
        return "aborting"
    return f"in mode {state['mode']}" if state.get("mode") else "preparing"


def _pod(obj: Obj) -> list[str]:
    parts = [str(dig(obj, "status", "phase") or "new")]
    if node := dig(obj, "spec", "nodeName"):
        parts[0] += f" on {node}"
    scheduled = condition_of(obj, "PodScheduled")
    if scheduled and scheduled.get("status") == "False":
        parts.append(f"{scheduled.get('reason')}: {scheduled.get('message')}")
    return parts


def _event(obj: Obj) -> list[str]:
    subject = dig(obj, "involvedObject") or {}
    count = dig(obj, "series", "count") or obj.get("count") or 1
    times = f" (x{count})" if count > 1 else ""
    about = f"{SHORT.get(subject.get('kind', ''), subject.get('kind'))} {subject.get('name')}"
    return [f"{obj.get('type')} {obj.get('reason')} about {about}: {obj.get('message')}{times}"]


def _eviction(obj: Obj) -> list[str]:
    parts = [_reason(obj, "Evicting") or "new", f"{len(dig(obj, 'status', 'outstandingInstances') or ())} outstanding"]
    for name in ("PreflightChecksSucceeded", "MigratingInstance"):
        told = condition_of(obj, name)
        if told and (told.get("reason") == "Failed" or name == "MigratingInstance"):
            parts.append(f"{name} {told.get('reason')}: {told.get('message')}")
    return parts


def _hypervisor(obj: Obj) -> list[str]:
    maintenance = dig(obj, "spec", "maintenance")
    disabled = (condition_of(obj, "HypervisorDisabled") or {}).get("status") == "True"
    return [
        _reason(obj, "Ready") or "not reported",
        f"maintenance {maintenance}" if maintenance else "",
        "disabled" if disabled else "",
        f"Evicting {reason}" if (reason := _reason(obj, "Evicting")) else "",
        "evicted" if dig(obj, "status", "evicted") else "",
    ]


def _reason(obj: Obj, condition: str) -> str:
    return str((condition_of(obj, condition) or {}).get("reason") or "")


_PARTS: Mapping[str, Callable[[Obj], list[str]]] = {
    VMI: _vmi,
    POD: _pod,
    EVENT: _event,
    EVICTION: _eviction,
    HYPERVISOR: _hypervisor,
}
