"""The shape of a body of Nova's external scheduler (Cortex sheet §2): objects of Nova come wrapped."""

from __future__ import annotations

from collections.abc import Iterable

from lab.cortex.scheduling.decoding import MAP, Kind, Shape
from lab.cortex.scheduling.options import OPTIONS

DATA = "nova_object.data"
"""Where a wrapped object has its fields."""


def _each(keys: Iterable[str], shape: Shape) -> dict[str, Shape]:
    return dict.fromkeys(keys, shape)


def _wrapped(data: Shape) -> Shape:
    return {
        "nova_object.name": Kind.TEXT,
        "nova_object.namespace": Kind.TEXT,
        "nova_object.version": Kind.TEXT,
        "nova_object.changes": [Kind.TEXT],
        DATA: data,
    }


_ANYTHING: Shape = {MAP: Kind.ANY}
_FLAVOR: Shape = {
    **_each(("name", "flavorid", "description", "created_at", "updated_at", "deleted_at"), Kind.TEXT),
    **_each(("memory_mb", "vcpus", "root_gb", "ephemeral_gb"), Kind.COUNT),
    **_each(("id", "swap", "vcpu_weight"), Kind.WHOLE),
    **_each(("disabled", "is_public", "deleted"), Kind.FLAG),
    "rxtx_factor": Kind.NUMBER,
    "extra_specs": {MAP: Kind.TEXT},
}
_IMAGE: Shape = {
    **_each(
        ("id", "name", "status", "checksum", "owner", "container_format", "disk_format", "created_at", "updated_at"),
        Kind.TEXT,
    ),
    **_each(("size", "min_ram", "min_disk"), Kind.WHOLE),
    "properties": _wrapped(_ANYTHING),
}
_GROUP: Shape = {
    **_each(("user_id", "project_id", "uuid", "name", "policy", "created_at", "updated_at", "deleted_at"), Kind.TEXT),
    **_each(("policies", "members", "hosts"), [Kind.TEXT]),
    "_rules": _ANYTHING,
    "deleted": Kind.FLAG,
}
_SPEC: Shape = {
    **_each(("project_id", "user_id", "instance_uuid", "availability_zone"), Kind.TEXT),
    **_each(("ignore_hosts", "force_hosts", "force_nodes"), [Kind.TEXT]),
    **_each(("network_metadata", "limits"), _wrapped(_ANYTHING)),
    **_each(("requested_networks", "security_groups"), {"objects": [_wrapped(_ANYTHING)]}),
    "num_instances": Kind.COUNT,
    "is_bfv": Kind.FLAG,
    "scheduler_hints": _ANYTHING,
    "image": _wrapped(_IMAGE),
    "flavor": _wrapped(_FLAVOR),
    "request_level_params": _wrapped(_each(("root_required", "root_forbidden", "same_subtree"), [Kind.ANY])),
    "numa_topology": _wrapped({"cells": [_wrapped(_ANYTHING)]}),
    "requested_destination": _wrapped(
        {"host": Kind.TEXT, "node": Kind.TEXT, "aggregates": [Kind.TEXT], "forbidden_aggregates": [Kind.TEXT]}
    ),
    "instance_group": _wrapped(_GROUP),
}
_CONTEXT: Shape = {
    **_each(
        (
            "user", "project_id", "system_scope", "project", "domain", "user_domain", "project_domain", "request_id",
            "global_request_id", "resource_uuid", "user_identity", "read_deleted", "remote_address", "timestamp",
            "quota_class", "user_name", "project_name",
        ),
        Kind.TEXT,
    ),
    **_each(("is_admin", "read_only", "show_deleted", "is_admin_project"), Kind.FLAG),
    "roles": [Kind.TEXT],
}  # fmt: skip
BODY: Shape = {
    "spec": _wrapped(_SPEC),
    "context": _CONTEXT,
    "hosts": [{"host": Kind.TEXT, "hypervisor_hostname": Kind.TEXT}],
    "weights": {MAP: Kind.NUMBER},
    "pipeline": Kind.TEXT,
    "options": OPTIONS,
}
