"""A large cluster for Cortex: Hypervisors, Reservations, and a request about all of it."""

from __future__ import annotations

import random
from typing import Any

HOSTS = 1000
RESERVATIONS = 5000
VM = "vm-1"
FLAVOR, GROUP = "m", "group-1"
_PROJECT, _ZONE = "project-1", "az-a"
_STAMP = "2026-01-01T00:00:00Z"
Json = dict[str, Any]


def cluster(chance: random.Random) -> tuple[list[Json], list[Json]]:
    """Hypervisors and Reservations as the store holds them, several slots on each host."""
    names = [f"node{number:04}-bb{number % 40:03}" for number in range(HOSTS)]
    return [_hypervisor(chance, name) for name in names], [
        _reservation(chance, number, chance.choice(names)) for number in range(RESERVATIONS)
    ]


def request_body(hypervisors: list[Json]) -> Json:
    """A live migration of a VM in a slot, all hosts given as candidates."""
    names = [each["metadata"]["name"] for each in hypervisors]
    specs = {"capabilities:hypervisor_type": "CH", "quota:hw_version": GROUP, "trait:CUSTOM_GOOD": "required"}
    spec = {
        "project_id": _PROJECT,
        "instance_uuid": VM,
        "availability_zone": _ZONE,
        "num_instances": 1,
        "scheduler_hints": {"_nova_check_type": ["live_migrate"], "source_host": [names[0]]},
        "ignore_hosts": [names[0]],
        "image": _wrapped({"properties": _wrapped({"img_hv_type": "kvm"})}),
        "flavor": _wrapped({"name": FLAVOR, "memory_mb": 16384, "vcpus": 4, "extra_specs": specs}),
    }
    return {
        "spec": _wrapped(spec),
        "context": {"project_id": _PROJECT},
        "hosts": [{"host": name, "hypervisor_hostname": name} for name in names],
        "weights": dict.fromkeys(names, 1.0),
    }


def _wrapped(data: Json) -> Json:
    return {"nova_object.data": data}


def _hypervisor(chance: random.Random, name: str) -> Json:
    size, used = chance.choice((512, 1024, 2048)), chance.randrange(0, 400, 8)
    return {
        "metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": _ZONE}},
        "spec": {"customTraits": ["CUSTOM_GOOD"], "allowedProjects": []},
        "status": {
            "effectiveCapacity": {"memory": f"{size}Gi", "cpu": "256"},
            "capacity": {"memory": f"{size}Gi", "cpu": "128"},
            "allocation": {"memory": f"{used}Gi", "cpu": str(used // 8)},
            "instances": [{"id": f"{name}-{number}", "name": "x", "active": True} for number in range(20)],
            "conditions": [_condition("Ready", "True"), _condition("HypervisorDisabled", "False")],
            "traits": [f"HW_CPU_{number}" for number in range(40)],
            "aggregates": [{"name": "a", "uuid": "a-1", "metadata": {"k": "v"}}],
            "capabilities": {"cpuArch": "x86_64"},
            "domainCapabilities": {
                "hypervisorType": "ch",
                "supportedCpuModes": ["host-passthrough"],
                "supportedFeatures": ["sgx"],
                "supportedDevices": [f"device-{number}" for number in range(10)],
            },
        },
    }


def _reservation(chance: random.Random, number: int, host: str) -> Json:
    size = chance.choice((16, 32, 64, 128))
    resources = {"memory": f"{size}Gi", "cpu": str(size // 4)}
    vms = [VM] if number == 0 else [f"vm-r{number}"] if chance.random() < 0.6 else []
    return {
        "metadata": {"name": f"slot-{number}", "labels": {"reservations.cortex.cloud/type": "committed-resource"}},
        "spec": {
            "type": "CommittedResourceReservation",
            "targetHost": host,
            "resources": resources,
            "committedResourceReservation": {
                "projectID": _PROJECT if number == 0 else f"project-{number % 50}",
                "resourceGroup": GROUP if number == 0 else f"group-{number % 4}",
                "allocations": {vm: {"creationTimestamp": _STAMP, "resources": resources} for vm in vms},
            },
        },
        "status": {
            "host": host,
            "conditions": [_condition("Ready", "True")],
            "committedResourceReservation": {"allocations": dict.fromkeys(vms, host)},
        },
    }


def _condition(type_: str, status: str) -> Json:
    return {"type": type_, "status": status, "reason": "R", "message": "", "lastTransitionTime": _STAMP}
