"""The cells of a Pod: ready count, status word and restarts, as the server computes them (printers.go, printPod)."""

from __future__ import annotations

from typing import Any

from lab.apiserver.tables.ages import age_since
from lab.apiserver.tables.reading import NONE, Object, at, condition, listed, number, text

_TERMINAL = ("Succeeded", "Failed")


def pod_cells(pod: Object, now: float) -> list[Any]:
    """Name, Ready, Status, Restarts, Age, IP, Node, Nominated Node, Readiness Gates."""
    reason, ready, restarts, last = _state(pod)
    shown = f"{restarts} ({age_since(last, now)} ago)" if restarts and last else str(restarts)
    return [
        text(pod, "metadata", "name"),
        f"{ready}/{len(listed(pod, 'spec', 'containers'))}",
        reason,
        shown,
        age_since(at(pod, "metadata", "creationTimestamp"), now),
        text(pod, "status", "podIP") or NONE,
        text(pod, "spec", "nodeName") or NONE,
        text(pod, "status", "nominatedNodeName") or NONE,
        _gates(pod),
    ]


def _state(pod: Object) -> tuple[str, int, int, str]:
    """Status word, ready containers, restarts, and when the last restart happened."""
    reason = text(pod, "status", "reason") or text(pod, "status", "phase")
    scheduled = condition(pod, "PodScheduled")
    if scheduled is not None and scheduled.get("reason") == "SchedulingGated":
        reason = "SchedulingGated"
    initial = listed(pod, "status", "initContainerStatuses")
    restarts = sum(number(status, "restartCount") for status in initial)
    last = _last_restart(initial)
    pending = _initializing(pod, initial)
    initialized = condition(pod, "Initialized")
    ready = 0
    if pending and not (initialized is not None and initialized.get("status") == "True"):
        reason = pending
    else:
        statuses = listed(pod, "status", "containerStatuses")
        reason, ready = _containers(pod, statuses, reason)
        restarts = sum(number(status, "restartCount") for status in statuses)
        last = _last_restart(statuses)
    if at(pod, "metadata", "deletionTimestamp") and text(pod, "status", "phase") not in _TERMINAL:
        reason = "Unknown" if text(pod, "status", "reason") == "NodeLost" else "Terminating"
    return reason, ready, restarts, last


def _initializing(pod: Object, statuses: list[Any]) -> str:
    """`Init:…` while init containers have not all ended well, else ""."""
    for index, status in enumerate(statuses):
        ended = at(status, "state", "terminated")
        if ended is not None and number(ended, "exitCode") == 0:
            continue
        if ended is not None:
            return f"Init:{text(ended, 'reason') or _exit(ended)}"
        waiting = text(status, "state", "waiting", "reason")
        if waiting and waiting != "PodInitializing":
            return f"Init:{waiting}"
        return f"Init:{index}/{len(listed(pod, 'spec', 'initContainers'))}"
    return ""


def _containers(pod: Object, statuses: list[Any], reason: str) -> tuple[str, int]:
    ready, running = 0, False
    for status in reversed(statuses):
        ended = at(status, "state", "terminated")
        if waiting := text(status, "state", "waiting", "reason"):
            reason = waiting
        elif ended is not None:
            reason = text(ended, "reason") or _exit(ended)
        elif status.get("ready") and at(status, "state", "running") is not None:
            running = True
            ready += 1
    if reason == "Completed" and running:
        found = condition(pod, "Ready")
        reason = "Running" if found is not None and found.get("status") == "True" else "NotReady"
    return reason, ready


def _exit(ended: Object) -> str:
    signal = number(ended, "signal")
    return f"Signal:{signal}" if signal else f"ExitCode:{number(ended, 'exitCode')}"


def _last_restart(statuses: list[Any]) -> str:
    return max((text(status, "lastState", "terminated", "finishedAt") for status in statuses), default="")


def _gates(pod: Object) -> str:
    gates = listed(pod, "spec", "readinessGates")
    if not gates:
        return NONE
    met = [condition(pod, text(gate, "conditionType")) for gate in gates]
    return f"{sum(1 for entry in met if entry is not None and entry.get('status') == 'True')}/{len(gates)}"
