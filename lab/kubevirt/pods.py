"""Which of a VMI's pods is the one its guest runs in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Json = Mapping[str, Any]


def launcher_of(pods: Iterable[Json], vmi: Json) -> Json | None:
    """The newest pod on the VMI's node; before it has a node, the newest pod."""
    node = (vmi.get("status") or {}).get("nodeName")
    here = [pod for pod in pods if not node or pod["spec"].get("nodeName") == node]
    return max(here, key=_age, default=None)


def unschedulable(pod: Json) -> Json | None:
    """Its PodScheduled=False condition, None if it has none."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return next((entry for entry in conditions if entry["type"] == "PodScheduled" and entry["status"] == "False"), None)


def image_error(pod: Json) -> tuple[str, str] | None:
    """(reason, message) of a container whose image cannot be pulled."""
    for entry in (pod.get("status") or {}).get("containerStatuses") or ():
        waiting = entry["state"].get("waiting") or {}
        if waiting.get("reason") in ("ErrImagePull", "ImagePullBackOff"):
            return waiting["reason"], waiting.get("message", "")
    return None


def compute_image(pod: Json) -> str:
    """Image of the compute container."""
    return next((entry["image"] for entry in pod["spec"]["containers"] if entry["name"] == "compute"), "")


def _age(pod: Json) -> tuple[str, bool]:
    ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    return pod["metadata"]["creationTimestamp"], not ended
