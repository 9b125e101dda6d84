"""The status a kubelet writes for a pod at each step of its life."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]
Status = dict[str, Any]


def with_conditions(pod: Json, *new: Json) -> list[Json]:
    """The pod's conditions with these replaced or added, keeping the transition time where the status is the same."""
    old = list((pod.get("status") or {}).get("conditions") or ())
    for entry in new:
        before = next((known for known in old if known["type"] == entry["type"]), None)
        merged = {"lastProbeTime": None, **entry}
        if before is not None and before["status"] == entry["status"]:
            merged["lastTransitionTime"] = before.get("lastTransitionTime")
        old = [known for known in old if known["type"] != entry["type"]] + [merged]
    return old


def condition_is(pod: Json, kind: str, status: str) -> bool:
    """Whether a condition is there with this status."""
    conditions: Sequence[Json] = (pod.get("status") or {}).get("conditions") or ()
    return any(entry["type"] == kind and entry["status"] == status for entry in conditions)


def accepted(pod: Json, now: str, host_ip: str) -> Status:
    """Admitted by the kubelet: containers are being created."""
    return {
        "phase": "Pending",
        "hostIP": host_ip,
        "hostIPs": [{"ip": host_ip}],
        "startTime": now,
        "conditions": with_conditions(
            pod,
            _condition("PodScheduled", True, now),
            _condition("Initialized", True, now),
            *_unready(pod, now, "ContainersNotReady"),
        ),
        "containerStatuses": [_waiting(container, "ContainerCreating") for container in pod["spec"]["containers"]],
    }


def rejected(reason: str, message: str, now: str) -> Status:
    """Refused by the kubelet."""
    return {"phase": "Failed", "reason": reason, "message": f"Pod was rejected: {message}", "startTime": now}


def not_pulled(pod: Json, image: str, reason: str, message: str) -> Status:
    """An image cannot be had: `reason` is ErrImagePull or ImagePullBackOff."""
    return {
        "containerStatuses": [
            _waiting(container, reason, message)
            if container["image"] == image
            else _waiting(container, "ContainerCreating")
            for container in pod["spec"]["containers"]
        ]
    }


def running(pod: Json, now: str, address: str) -> Status:
    """All containers run."""
    return {
        "phase": "Running",
        "podIP": address,
        "podIPs": [{"ip": address}],
        "conditions": with_conditions(
            pod, _condition("PodReadyToStartContainers", True, now), _condition("ContainersReady", True, now)
        ),
        "containerStatuses": [
            _container(container, True, {"running": {"startedAt": now}}) for container in pod["spec"]["containers"]
        ],
    }


def readiness(pod: Json, ready: bool, now: str) -> Status:
    """Ready as containers and readiness gates say."""
    entry = _condition("Ready", True, now)
    if not ready:
        text = "corresponding condition of pod readiness gate " + ", ".join(
            f'"{gate["conditionType"]}" does not exist.' for gate in pod["spec"].get("readinessGates") or ()
        )
        entry = _condition("Ready", False, now) | {"reason": "ReadinessGatesNotReady", "message": text}
    return {"conditions": with_conditions(pod, entry)}


def ended(pod: Json, code: int, now: str) -> Status:
    """All containers ended; phase Succeeded for code 0, else Failed."""
    reason = "Completed" if code == 0 else "Error"
    started = (pod.get("status") or {}).get("startTime")
    state = {"terminated": {"exitCode": code, "reason": reason, "startedAt": started, "finishedAt": now}}
    return {
        "phase": "Succeeded" if code == 0 else "Failed",
        "conditions": with_conditions(
            pod,
            _condition("PodReadyToStartContainers", False, now),
            *_unready(pod, now, "PodCompleted" if code == 0 else "PodFailed"),
        ),
        "containerStatuses": [_container(container, False, state) for container in pod["spec"]["containers"]],
    }


def _unready(pod: Json, now: str, reason: str) -> tuple[Status, ...]:
    names = " ".join(container["name"] for container in pod["spec"]["containers"])
    message = {"message": f"containers with unready status: [{names}]"} if reason == "ContainersNotReady" else {}
    return tuple(_condition(kind, False, now) | {"reason": reason, **message} for kind in ("Ready", "ContainersReady"))


def _condition(kind: str, status: bool, now: str) -> Status:
    return {"type": kind, "status": "True" if status else "False", "lastTransitionTime": now}


def _waiting(container: Json, reason: str, message: str = "") -> Status:
    return _container(container, False, {"waiting": {"reason": reason, **({"message": message} if message else {})}})


def _container(container: Json, ready: bool, state: Json) -> Status:
    digest = hashlib.sha256(container["image"].encode()).hexdigest()
    repository = container["image"].split("@")[0].rsplit(":", 1)[0]
    running_now = "running" in state
    return {
        "name": container["name"],
        "image": container["image"],
        "imageID": f"{repository}@sha256:{digest}" if "waiting" not in state else "",
        "ready": ready,
        "started": running_now,
        "restartCount": 0,
        "state": dict(state),
        "lastState": {},
    }
