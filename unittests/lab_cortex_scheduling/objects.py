"""Hypervisors and Reservations as raw objects; sizes in GiB."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lab.controllers.decisions import Faults
from lab.cortex.scheduling.pipeline import SOUND
from lab.cortex.scheduling.request import Request
from lab.cortex.scheduling.steps import Answered, Asked, Step
from lab.cortex.scheduling.view import Lens, View
from unittests.lab_cortex_scheduling.bodies import GROUP, PROJECT

Json = dict[str, Any]
SOURCE = "src"
ABSENT = None


def gi(amount: float, **more: int) -> Json:
    return {"memory": f"{amount}Gi", **{name: str(value) for name, value in more.items()}}


def hypervisor(
    name: str, effective: float | None = 128, allocation: float = 0, capacity: float | None = ABSENT, **more: Any
) -> Json:
    """more: `cpu` (effective and used), `labels`, `spec`, and fields of the status."""
    cpu, used_cpu = more.pop("cpu", (64, 0))
    status: Json = {"allocation": gi(allocation, cpu=used_cpu)}
    if effective is not None:
        status["effectiveCapacity"] = gi(effective, cpu=cpu)
    if capacity is not None:
        status["capacity"] = gi(capacity, cpu=cpu)
    metadata = {"name": name, "labels": more.pop("labels", {})}
    return {"metadata": metadata, "spec": more.pop("spec", {}), "status": status | more}


def slot(name: str, target: str, size: float | None = 16, used: Mapping[str, float] | float = 0, **more: Any) -> Json:
    """A slot. used: GiB by VM that is expected in it, or of one VM.

    more: project, group, ready, confirmed (VMs), host (status.host), label, kind, part (False: no specification),
    zone, cpu.
    """
    expected = used if isinstance(used, Mapping) else ({f"{name}-vm": used} if used else {})
    confirmed: Iterable[str] = more.get("confirmed", ())
    host = more.get("host", target)
    spec: Json = {
        "type": more.get("kind", "CommittedResourceReservation"),
        "targetHost": target,
        "resources": {} if size is None else gi(size, **({"cpu": more["cpu"]} if "cpu" in more else {})),
        "availabilityZone": more.get("zone", ""),
    }
    if more.get("part", True):
        spec["committedResourceReservation"] = {
            "projectID": more.get("project", PROJECT),
            "resourceGroup": more.get("group", GROUP),
            "allocations": {
                vm: {"creationTimestamp": "2026-01-01T00:00:00Z", "resources": gi(each)}
                for vm, each in expected.items()
            },
        }
    status: Json = {
        "host": host,
        "conditions": [{"type": "Ready", "status": "True" if more.get("ready", True) else "False"}],
    }
    if confirmed:
        status["committedResourceReservation"] = {"allocations": dict.fromkeys(confirmed, host)}
    labels = {"reservations.cortex.cloud/type": more.get("label", "committed-resource")}
    return {"metadata": {"name": name, "labels": labels}, "spec": spec, "status": status}


def failover(name: str, host: str, size: float = 16, vms: Iterable[str] = (), **more: Any) -> Json:
    """A failover reservation."""
    made = slot(name, host, size, part=False, kind="FailoverReservation", label="failover", **more)
    made["spec"]["failoverReservation"] = {"resourceGroup": more.get("group", GROUP)}
    made["status"]["failoverReservation"] = {"allocations": dict.fromkeys(vms, host)}
    return made


def source(size: float | None = 16, vm: str = "vm-1", name: str = "a-source", **more: Any) -> Json:
    """The slot that the VM is confirmed in, on the source host."""
    return slot(name, SOURCE, size, {vm: size or 16}, confirmed=[vm], **more)


def view(hypervisors: Iterable[Json] = (), reservations: Iterable[Json] = (), **more: Any) -> View:
    return Lens().view(hypervisors, reservations, **more)


def asked(step: Step, request: Request, seen: View, params: Json | None = None, faults: Faults = SOUND) -> Answered:
    """What a step answers about the hosts of the request."""
    return step.run(Asked(request, tuple(dict.fromkeys(request.hosts)), seen, params or {}, faults))
