"""Clients of the servers under test. Their errors are the suite's own (`utilities.errors`).

Importing this package does not import the kubernetes library (2.6 s); connecting does.
"""

from utilities.clients.connection import Clients, Cluster, connect, connected
from utilities.clients.following import Following
from utilities.clients.resources import (
    EVENTS,
    KUBEVIRTS,
    LEASES,
    MIGRATION_POLICIES,
    NAMESPACES,
    NODES,
    PODS,
    ROLE_BINDINGS,
    SECRETS,
    VMIMS,
    VMIS,
    VMS,
    Resource,
    hyperconvergeds,
)
from utilities.clients.rest import Rest
from utilities.clients.translation import translated
from utilities.clients.versions import Versions, observe_versions

__all__ = [
    "EVENTS",
    "KUBEVIRTS",
    "LEASES",
    "MIGRATION_POLICIES",
    "NAMESPACES",
    "NODES",
    "PODS",
    "ROLE_BINDINGS",
    "SECRETS",
    "VMIMS",
    "VMIS",
    "VMS",
    "Clients",
    "Cluster",
    "Following",
    "Resource",
    "Rest",
    "Versions",
    "connect",
    "connected",
    "hyperconvergeds",
    "observe_versions",
    "translated",
]
