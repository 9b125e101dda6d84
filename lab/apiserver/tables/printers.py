"""Which columns and cells each kind has (sheet §3.6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lab.apiserver.resources import Column, Resource
from lab.apiserver.tables import basics, events, nodes, pods, workloads
from lab.apiserver.tables.custom import custom_cells
from lab.apiserver.tables.reading import Object

_NAME = Column("Name", "string", ".metadata.name", format="name")
_AGE = Column("Age", "date", ".metadata.creationTimestamp")
_INTEGERS = (
    "Desired",
    "Current",
    "Up-to-date",
    "Available",
    "Data",
    "Secrets",
    "Count",
    "Value",
    "Allowed Disruptions",
)
_BOOLEANS = ("AllowVolumeExpansion", "Global-Default")


@dataclass(frozen=True, slots=True)
class Printer:
    """The columns of a kind, and the cells of one of its objects at a product time."""

    columns: tuple[Column, ...]
    cells: Callable[[Object, float], list[Any]]


def printer_of(resource: Resource) -> Printer:
    """The printer of a kind: its own, the columns its definition brings, or the server's fallback."""
    known = _PRINTERS.get((resource.group, resource.plural))
    if known is not None:
        return known
    if resource.columns or resource.custom:
        columns = resource.columns or (_AGE,)
        return Printer((_NAME, *columns), lambda obj, now: custom_cells(obj, columns, now))
    return _CREATED


def _columns(names: str) -> tuple[Column, ...]:
    """Columns named in comma-separated text; those marked † show with `-o wide` only."""
    return tuple(_column(name.strip()) for name in names.split(","))


def _column(marked: str) -> Column:
    name = marked.removesuffix("†")
    type_ = "integer" if name in _INTEGERS else "boolean" if name in _BOOLEANS else "string"
    return Column(name, type_, "", priority=int(marked != name), format="name" if name == "Name" else "")


_TEMPLATE = "Containers†, Images†, Selector†"
_EVENT = Printer(
    _columns("Last Seen, Type, Reason, Object, Subobject†, Source†, Message, First Seen†, Count†, Name†"),
    events.event_cells,
)
_BINDING = Printer(_columns("Name, Role, Age, Users†, Groups†, ServiceAccounts†"), basics.binding_cells)
_CREATED = Printer(_columns("Name, Created At"), basics.created_cells)
_PRINTERS: dict[tuple[str, str], Printer] = {
    ("", "pods"): Printer(
        _columns("Name, Ready, Status, Restarts, Age, IP†, Node†, Nominated Node†, Readiness Gates†"), pods.pod_cells
    ),
    ("", "nodes"): Printer(
        _columns(
            "Name, Status, Roles, Age, Version, "
            "Internal-IP†, External-IP†, OS-Image†, Kernel-Version†, Container-Runtime†"
        ),
        nodes.node_cells,
    ),
    ("", "events"): _EVENT,
    ("events.k8s.io", "events"): _EVENT,
    ("", "namespaces"): Printer(_columns("Name, Status, Age"), basics.namespace_cells),
    ("", "secrets"): Printer(_columns("Name, Type, Data, Age"), basics.secret_cells),
    ("", "configmaps"): Printer(_columns("Name, Data, Age"), basics.config_map_cells),
    ("", "serviceaccounts"): Printer(_columns("Name, Secrets, Age"), basics.service_account_cells),
    ("", "services"): Printer(
        _columns("Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector†"), basics.service_cells
    ),
    ("", "persistentvolumeclaims"): Printer(
        _columns("Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, VolumeMode†"),
        basics.claim_cells,
    ),
    ("apps", "deployments"): Printer(
        _columns(f"Name, Ready, Up-to-date, Available, Age, {_TEMPLATE}"), workloads.deployment_cells
    ),
    ("apps", "daemonsets"): Printer(
        _columns(f"Name, Desired, Current, Ready, Up-to-date, Available, Node Selector, Age, {_TEMPLATE}"),
        workloads.daemon_set_cells,
    ),
    ("apps", "replicasets"): Printer(
        _columns(f"Name, Desired, Current, Ready, Age, {_TEMPLATE}"), workloads.replica_set_cells
    ),
    ("policy", "poddisruptionbudgets"): Printer(
        _columns("Name, Min Available, Max Unavailable, Allowed Disruptions, Age"), workloads.budget_cells
    ),
    ("storage.k8s.io", "storageclasses"): Printer(
        _columns("Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age"),
        basics.storage_class_cells,
    ),
    ("coordination.k8s.io", "leases"): Printer(_columns("Name, Holder, Age"), basics.lease_cells),
    ("scheduling.k8s.io", "priorityclasses"): Printer(
        _columns("Name, Value, Global-Default, Age, PreemptionPolicy"), basics.priority_class_cells
    ),
    ("rbac.authorization.k8s.io", "rolebindings"): _BINDING,
    ("rbac.authorization.k8s.io", "clusterrolebindings"): _BINDING,
}
