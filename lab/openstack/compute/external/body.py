"""The body Nova posts: its request spec as versioned objects, the hosts that passed its filters, and their weights.

Source: SAP's Nova, nova/scheduler/external.py and nova/conductor/tasks/live_migrate.py; the context as Cortex reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lab.openstack.compute.hosts import Group, Host
from lab.openstack.compute.servers import Server

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asker:
    """On whose behalf Nova asks: the caller of the action, not the owner of the server."""

    user_id: str
    project_id: str
    request_id: str


@dataclass(frozen=True, slots=True)
class Question:
    """What one body says.

    check: Nova's name for the kind of request, "" for a build, which has no hint. source: where the server is. tried:
    hosts that are not to be taken, the source first. wanted: the one that was asked for. group_hosts: where the other
    members of the server's group are.
    """

    server: Server
    asker: Asker
    check: str
    source: Host | None
    tried: tuple[str, ...]
    wanted: Host | None
    group: Group | None
    group_hosts: tuple[str, ...]
    hosts: Sequence[tuple[Host, float]]
    now: float


def body(question: Question) -> Json:
    """The document."""
    return {
        "spec": _wrapped("RequestSpec", "1.14", _spec(question)),
        "context": _context(question),
        "rebuild": False,
        "resize": question.check == "resize",
        "live": question.check == "live_migrate",
        "vmware": False,
        "hosts": [{"host": host.name, "hypervisor_hostname": host.node} for host, _ in question.hosts],
        "weights": {host.name: weight for host, weight in question.hosts},
    }


def _spec(question: Question) -> Json:
    server, flavor = question.server, question.server.flavor
    return {
        "id": None,
        "project_id": server.project_id,
        "user_id": server.user_id,
        "instance_uuid": server.id,
        "availability_zone": server.zone,
        "num_instances": 1,
        "is_bfv": server.disk == "volume",
        "scheduler_hints": _hints(question),
        "ignore_hosts": list(question.tried) or None,
        "force_hosts": None,
        "force_nodes": None,
        "retry": None,
        "pci_requests": None,
        "numa_topology": None,
        "flavor": _wrapped(
            "Flavor",
            "1.2",
            {
                "id": flavor.number,
                "name": flavor.name,
                "memory_mb": flavor.ram,
                "vcpus": flavor.vcpus,
                "root_gb": flavor.disk,
                "ephemeral_gb": 0,
                "flavorid": flavor.id,
                "swap": 0,
                "rxtx_factor": 1.0,
                "vcpu_weight": 0,
                "disabled": False,
                "is_public": True,
                "extra_specs": dict(flavor.extra_specs),
                "description": None,
                "created_at": _stamp(server.created),
                "updated_at": None,
                "deleted_at": None,
                "deleted": False,
            },
        ),
        "image": _wrapped(
            "ImageMeta",
            "1.8",
            {
                "id": server.image_id or None,
                "min_ram": 0,
                "min_disk": flavor.disk,
                "properties": _wrapped("ImageMetaProps", "1.31", {}),
            },
        ),
        "limits": _wrapped("SchedulerLimits", "1.0", dict.fromkeys(("numa_topology", "vcpu", "disk_gb", "memory_mb"))),
        "network_metadata": _wrapped("NetworkMetadata", "1.0", {"physnets": [], "tunneled": True}),
        "request_level_params": _wrapped(
            "RequestLevelParams", "1.1", {"root_required": [], "root_forbidden": [], "same_subtree": []}
        ),
        "requested_networks": {"objects": []},
        "security_groups": {"objects": [_wrapped("SecurityGroup", "1.2", {"name": "default"})]},
        "requested_destination": _destination(question),
        "instance_group": _group(question),
    }


def _hints(question: Question) -> Json:
    if question.check == "live_migrate" and question.source is not None:
        source = {"source_host": [question.source.name], "source_node": [question.source.node]}
        return {**source, "_nova_check_type": [question.check]}
    return {"_nova_check_type": [question.check]} if question.check else {}


def _destination(question: Question) -> Json | None:
    """A migration always has one, for the cell; with a host only if that was asked for."""
    wanted = question.wanted
    if wanted is None and not question.check:
        return None
    data: Json = {"host": wanted and wanted.name, "node": wanted and wanted.node, "aggregates": None,
            "forbidden_aggregates": None, "allow_cross_cell_move": False}  # fmt: skip
    return _wrapped("Destination", "1.4", data)


def _group(question: Question) -> Json | None:
    group = question.group
    if group is None:
        return None
    data: Json = {
        "uuid": group.id,
        "name": group.name,
        "policy": group.policy,
        "policies": [group.policy],
        "_rules": {},
        "members": list(group.members),
        "hosts": list(question.group_hosts),
        "project_id": group.project_id,
        "user_id": group.user_id,
        "created_at": _stamp(question.server.created),
        "updated_at": None,
        "deleted_at": None,
        "deleted": False,
    }
    return _wrapped("InstanceGroup", "1.11", data)


def _context(question: Question) -> Json:
    asker = question.asker
    return {
        "user": asker.user_id,
        "project_id": asker.project_id,
        "project": asker.project_id,
        "user_domain": "default",
        "project_domain": "default",
        "system_scope": None,
        "domain": None,
        "is_admin": True,
        "is_admin_project": True,
        "read_only": False,
        "read_deleted": "no",
        "show_deleted": False,
        "request_id": asker.request_id,
        "global_request_id": None,
        "resource_uuid": None,
        "roles": [],
        "user_identity": f"{asker.user_id} {asker.project_id} - default default",
        "remote_address": "127.0.0.1",
        "timestamp": _stamp(question.now).removesuffix("Z"),
        "quota_class": None,
        "user_name": "",
        "project_name": "",
    }


def _wrapped(name: str, version: str, data: Mapping[str, Any]) -> Json:
    return {
        "nova_object.name": name,
        "nova_object.namespace": "nova",
        "nova_object.version": version,
        "nova_object.data": dict(data),
        "nova_object.changes": [],
    }


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
