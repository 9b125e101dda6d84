"""What the agent writes into the status of a Hypervisor: its part and no other (operator sheet §1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lab.node_agent.domains import Domain
from lab.node_agent.machines import Machine
from lab.node_agent.quantities import binary, decimal
from lab.openstack.compute.hosts import Host

Json = Mapping[str, Any]
_MIB = 2**20


def report(host: Host, domains: Sequence[Domain], machine: Machine, overcommit: Mapping[str, float]) -> dict[str, Any]:
    """The agent's fields. overcommit: ratios of the spec by resource name, 1 where it has none.

    The machine is taken for one NUMA cell, on which all domains are.
    """
    capacity = {"cpu": host.vcpus, "memory": host.ram * _MIB}
    allocation = {
        "cpu": sum(domain.server.flavor.vcpus for domain in domains),
        "memory": sum(domain.server.flavor.ram for domain in domains) * _MIB,
    }
    effective = {name: int(amount * float(overcommit.get(name, 1))) for name, amount in capacity.items()}
    amounts = {
        "allocation": _written(allocation),
        "capacity": _written(capacity),
        "effectiveCapacity": _written(effective),
    }
    return {
        **amounts,
        "capabilities": {"cpuArch": machine.arch, "cpus": decimal(host.vcpus), "memory": binary(host.ram * _MIB)},
        "cells": [{"cellID": 0, **amounts}],
        "domainCapabilities": {
            "arch": machine.arch,
            "hypervisorType": machine.hypervisor_type,
            "supportedCpuModes": list(machine.cpu_modes),
            "supportedDevices": list(machine.devices),
            "supportedFeatures": list(machine.features),
        },
        "hypervisorVersion": machine.hypervisor_version,
        "instances": [_instance(domain) for domain in domains],
        "libVirtVersion": machine.libvirt_version,
        "numInstances": len(domains),
    }


def changes(status: Json, wanted: Json) -> dict[str, Any]:
    """The fields of `wanted` that the status does not show yet."""
    return {name: value for name, value in wanted.items() if status.get(name) != value}


def _written(amounts: Mapping[str, int]) -> dict[str, str]:
    return {"cpu": decimal(amounts["cpu"]), "memory": binary(amounts["memory"])}


def _instance(domain: Domain) -> dict[str, Any]:
    return {"active": domain.active, "id": domain.server.id, "name": domain.server.instance_name}
