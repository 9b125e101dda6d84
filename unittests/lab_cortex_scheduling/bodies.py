"""Requests as Nova sends them, and the objects they are about; sizes in GiB."""

from __future__ import annotations

from typing import Any

from lab.cortex.scheduling.request import Request, parse

GI = 2**30
VM = "vm-1"
PROJECT = "P"
GROUP = "G"


def wrap(data: dict[str, Any]) -> dict[str, Any]:
    return {"nova_object.name": "X", "nova_object.version": "1.0", "nova_object.data": data, "nova_object.changes": []}


def flavor(memory_mb: int = 16384, vcpus: int = 4, **extra_specs: str) -> dict[str, Any]:
    specs = {"capabilities:hypervisor_type": "QEMU", "quota:hw_version": GROUP, **extra_specs}
    return wrap({"id": 1, "name": "m", "memory_mb": memory_mb, "vcpus": vcpus, "extra_specs": specs})


def body(
    *hosts: str, hint: object = "live_migrate", weights: dict[str, float] | None = None, **changes: Any
) -> dict[str, Any]:
    """A body for a live migration of VM. changes: fields of the spec, or `pipeline`, `options`, `context`."""
    outer = {key: changes.pop(key) for key in ("pipeline", "options", "context") if key in changes}
    hints = {} if hint is None else {"_nova_check_type": [hint]}
    spec = {
        "project_id": PROJECT,
        "user_id": "u",
        "instance_uuid": VM,
        "availability_zone": "",
        "num_instances": 1,
        "scheduler_hints": hints | changes.pop("hints", {}),
        "ignore_hosts": None,
        "force_hosts": None,
        "flavor": flavor(),
        **changes,
    }
    return {
        "spec": wrap(spec),
        "context": {"project_id": PROJECT, "request_id": "req-1"},
        "hosts": [{"host": host, "hypervisor_hostname": host} for host in hosts],
        "weights": dict.fromkeys(hosts, 0.0) if weights is None else weights,
        **outer,
    }


def request(*hosts: str, **changes: Any) -> Request:
    return parse(body(*hosts, **changes))
