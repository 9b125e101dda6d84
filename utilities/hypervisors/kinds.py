"""The hypervisor operator's kinds and the words they use (operator sheet §1)."""

from __future__ import annotations

from utilities.clients import Resource

GROUP = "kvm.cloud.sap"
HYPERVISORS = Resource(GROUP, "v1", "hypervisors", "Hypervisor", namespaced=False)
EVICTIONS = Resource(GROUP, "v1", "evictions", "Eviction", namespaced=False)
DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment")

EVICTING = "Evicting"
MIGRATING = "MigratingInstance"
PREFLIGHT = "PreflightChecksSucceeded"
"""Conditions of an Eviction. The second one is always False: read its reason and message, not its status or time."""
DISABLED = "HypervisorDisabled"
READY = "Ready"
TRAITS_UPDATED = "TraitsUpdated"
"""Conditions of a Hypervisor, which has one called Evicting, too."""
SUCCEEDED, FAILED, RUNNING = "Succeeded", "Failed", "Running"
"""Reasons of all of these."""
