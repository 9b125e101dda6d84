"""What Nova asks its external scheduler: which of these hosts for this VM, and in which order (cortex sheet §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LIVE_MIGRATE = "live_migrate"
"""Nova's word for the kind of request; Cortex calls it the intent live_migration."""
READ_ONLY: Mapping[str, bool] = {
    "read_only": True,
    "skip_history": True,
    "skip_inflight": True,
    "skip_committed_resource_tracking": True,
}
"""Options of a run that changes no object."""


@dataclass(frozen=True, slots=True)
class Flavor:
    """Of the VM. group: its flavor group, which is its `quota:hw_version`."""

    name: str
    memory_mb: int
    vcpus: int = 2
    group: str = ""
    hypervisor_type: str = "CH"


@dataclass(frozen=True, slots=True)
class Request:
    """One scheduling request.

    vm: its uuid. weights: what Nova thinks of each candidate, in its order. check: the kind of request, None for a
    build, which has no such hint. source: where the VM is. caller: project of whoever asks, None: the VM's own.
    about: what a reader should know of the VM, such as its slot. notes: the same of candidates.
    """

    vm: str
    project: str
    weights: Mapping[str, float]
    pipeline: str
    flavor: Flavor
    check: str | None = LIVE_MIGRATE
    source: str = ""
    caller: str | None = None
    zone: str = ""
    options: Mapping[str, bool] = field(default_factory=lambda: READ_ONLY)
    about: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The candidates."""
        return tuple(self.weights)

    @property
    def size(self) -> str:
        """Of the VM, and what there is to know of it, in words."""
        return f"{self.flavor.memory_mb / 1024:g} GiB{f', {self.about}' if self.about else ''}"

    def body(self) -> dict[str, Any]:
        """As Nova posts it; a Decision carries the same."""
        caller = self.project if self.caller is None else self.caller
        return {
            "spec": _wrapped("RequestSpec", self._spec()),
            "context": {"user": "migration-plans", "project_id": caller, "project": caller, "roles": []},
            "hosts": [{"host": host, "hypervisor_hostname": host} for host in self.weights],
            "weights": dict(self.weights),
            "pipeline": self.pipeline,
            "options": dict(self.options),
        }

    def _spec(self) -> dict[str, Any]:
        flavor = {
            "id": 1,
            "name": self.flavor.name,
            "flavorid": self.flavor.name,
            "memory_mb": self.flavor.memory_mb,
            "vcpus": self.flavor.vcpus,
            "root_gb": 0,
            "ephemeral_gb": 0,
            "swap": 0,
            "rxtx_factor": 1.0,
            "extra_specs": {
                "capabilities:hypervisor_type": self.flavor.hypervisor_type,
                "quota:hw_version": self.flavor.group,
            },
        }
        return {
            "project_id": self.project,
            "user_id": "migration-plans",
            "instance_uuid": self.vm,
            "availability_zone": self.zone,
            "num_instances": 1,
            "is_bfv": True,
            "scheduler_hints": self._hints(),
            "ignore_hosts": [self.source] if self.source else None,
            "force_hosts": None,
            "force_nodes": None,
            "flavor": _wrapped("Flavor", flavor),
            "requested_destination": None,
            "instance_group": None,
        }

    def _hints(self) -> dict[str, list[str]]:
        hints = {"_nova_check_type": [self.check]} if self.check is not None else {}
        return hints | ({"source_host": [self.source]} if self.source else {})


def _wrapped(name: str, data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "nova_object.name": name,
        "nova_object.namespace": "nova",
        "nova_object.version": "1.0",
        "nova_object.data": dict(data),
        "nova_object.changes": [],
    }
