"""Questions about the API objects of a migration: VMIM, VMI and pods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lab.clock import parse_timestamp
from lab.kubevirt.migration.names import CREATED_BY_LABEL, FINAL, JOB_UID_LABEL, UNSET, VMI_NAME_LABEL

Json = Mapping[str, Any]


def uid(obj: Json) -> str:
    """The object's UID."""
    return str(obj["metadata"]["uid"])


def is_deleting(obj: Json) -> bool:
    """Whether somebody asked for its deletion."""
    return bool(obj["metadata"].get("deletionTimestamp"))


def label(obj: Json, key: str) -> str | None:
    """A label's value, None if it is not there."""
    return (obj["metadata"].get("labels") or {}).get(key)


def annotation(obj: Json, key: str) -> str | None:
    """An annotation's value, None if it is not there."""
    return (obj["metadata"].get("annotations") or {}).get(key)


def condition(obj: Json, kind: str) -> Json | None:
    """The condition of that type, None if it is absent."""
    return next((entry for entry in (obj.get("status") or {}).get("conditions") or () if entry["type"] == kind), None)


def created(obj: Json) -> float:
    """Creation time in product seconds (whole seconds, as the API has it)."""
    return parse_timestamp(obj["metadata"]["creationTimestamp"])


def phase(obj: Json) -> str:
    """status.phase, "" before the first."""
    return (obj.get("status") or {}).get("phase") or UNSET


def is_final(obj: Json) -> bool:
    """Whether a VMIM or VMI is Succeeded or Failed."""
    return phase(obj) in FINAL


def vmi_name(migration: Json) -> str:
    """Name of the VMI a VMIM moves, in the VMIM's namespace."""
    return str(migration["spec"]["vmiName"])


def is_about(migration: Json, vmi: str) -> bool:
    """Whether a VMIM belongs to the VMI of this name (by its label, as the product selects)."""
    return label(migration, VMI_NAME_LABEL) == vmi


def node_of(vmi: Json) -> str:
    """status.nodeName, "" before there is one."""
    return (vmi.get("status") or {}).get("nodeName") or ""


def migration_state(vmi: Json) -> Json:
    """status.migrationState, empty if the VMI never was handed to a migration."""
    return (vmi.get("status") or {}).get("migrationState") or {}


def owns_state(migration: Json, vmi: Json) -> bool:
    """Whether the VMI's migrationState belongs to this VMIM: it has been handed off."""
    return migration_state(vmi).get("migrationUid") == uid(migration)


def is_done(state: Json) -> bool:
    """Whether the virt-handlers are through with this migrationState."""
    return bool(state.get("endTimestamp") and (state.get("completed") or state.get("failed")))


def pod_is_down(pod: Json) -> bool:
    """Whether a pod has ended or is being deleted."""
    return phase(pod) in FINAL or is_deleting(pod)


def pod_is_pending(pod: Json) -> bool:
    """Whether a pod's containers have not run yet and nobody deletes it."""
    return phase(pod) in (UNSET, "Pending") and not is_deleting(pod)


def pod_is_ready(pod: Json) -> bool:
    """Whether a launcher pod can take a guest: compute container running, all others ready (sheet §4.3)."""
    if pod_is_down(pod) or phase(pod) != "Running":
        return False
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return all(
        "running" in (status.get("state") or {}) if status["name"] == "compute" else status.get("ready")
        for status in statuses
    )


def pod_is_unschedulable(pod: Json) -> bool:
    """Whether the scheduler said so."""
    scheduled = condition(pod, "PodScheduled") or {}
    return pod_is_pending(pod) and scheduled.get("status") == "False" and scheduled.get("reason") == "Unschedulable"


def is_controlled_by(pod: Json, vmi: Json) -> bool:
    """Whether the VMI is the pod's controlling owner."""
    owners = pod["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") and owner["uid"] == uid(vmi) for owner in owners)


def target_pod(pods: Iterable[Json], migration: Json, vmi: Json) -> Json | None:
    """The pod created for this VMIM, whatever its state."""
    return next(
        (
            pod
            for pod in pods
            if label(pod, CREATED_BY_LABEL) == uid(vmi)
            and label(pod, JOB_UID_LABEL) == uid(migration)
            and label(pod, "kubevirt.io") == "virt-launcher"
        ),
        None,
    )


def current_pod(pods: Iterable[Json], vmi: Json) -> Json | None:
    """The newest pod of the VMI on its present node."""
    here = [pod for pod in pods if is_controlled_by(pod, vmi) and pod["spec"].get("nodeName") == node_of(vmi)]
    return max(here, key=created, default=None)


def active_pods(pods: Iterable[Json], vmi: Json) -> int:
    """Number of the VMI's pods that have not ended."""
    return sum(is_controlled_by(pod, vmi) and phase(pod) not in FINAL for pod in pods)


def compute_arguments(pod: Json) -> tuple[str, ...]:
    """Arguments of the compute container, fixed when the pod was rendered."""
    return next((tuple(c.get("args") or ()) for c in pod["spec"]["containers"] if c["name"] == "compute"), ())


def gpus(vmi: Json) -> tuple[Json, ...]:
    """devices.gpus of the VMI."""
    return tuple(vmi["spec"].get("domain", {}).get("devices", {}).get("gpus") or ())


def has_vfio(vmi: Json) -> bool:
    """Whether the guest has VFIO devices: gpus, hostDevices or SR-IOV interfaces (sheet §5.4)."""
    devices = vmi["spec"].get("domain", {}).get("devices", {})
    sriov = any("sriov" in interface for interface in devices.get("interfaces") or ())
    return bool(devices.get("gpus") or devices.get("hostDevices") or sriov)
