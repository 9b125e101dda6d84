"""Definitions around commitments: CommittedResource, FlavorGroupCapacity and ProjectQuota (cortex sheet §1.2, §1.6)."""

from __future__ import annotations

from typing import Any

from lab.cortex.crds.frame import AMOUNTS, CONDITIONS, definition, ready_column
from lab.cortex.kinds import COMMITTED_RESOURCE, FLAVOR_GROUP_CAPACITY, PROJECT_QUOTA
from lab.hypervisor_operator.crds.parts import (
    FLAG,
    LONG,
    NAME,
    QUANTITY,
    TEXT,
    TEXTS,
    TIME,
    array,
    column,
    mapping,
    obj,
)

RESOURCE_TYPES = ("memory", "cores")  # memory makes slots, cores makes none
STATES = ("planned", "pending", "guaranteed", "confirmed", "superseded", "expired")
_AGREED = obj(
    {
        "allowRejection": FLAG,
        "amount": QUANTITY,
        "availabilityZone": TEXT,
        "commitmentUUID": TEXT,
        "confirmedAt": TIME,
        "domainID": TEXT,
        "endTime": TIME,
        "flavorGroupName": TEXT,
        "projectID": TEXT,
        "resourceType": {"type": "string", "enum": list(RESOURCE_TYPES)},
        "schedulingDomain": TEXT,
        "startTime": TIME,
        "state": {"type": "string", "enum": list(STATES)},
    },
    "amount", "availabilityZone", "commitmentUUID", "domainID", "flavorGroupName", "projectID", "resourceType",
    "state",
)  # fmt: skip


def commitments() -> dict[str, Any]:
    """The definition of CommittedResource: what a project was promised, and how much of it is used."""
    columns = (
        column("Project", ".spec.projectID"),
        column("FlavorGroup", ".spec.flavorGroupName"),
        column("ResourceType", ".spec.resourceType"),
        column("AZ", ".spec.availabilityZone"),
        column("Amount", ".spec.amount"),
        column("UsedMemory", ".status.usedResources.memory", priority=1),
        column("UsedCPU", ".status.usedResources.cpu", priority=1),
        column("State", ".spec.state"),
        ready_column(),
        column("StartTime", ".spec.startTime", type="date", priority=1),
        column("Status", ".status.statusSummary", priority=1),
    )
    status = obj(
        {
            "acceptedAt": TIME,
            "acceptedSpec": _AGREED,
            "assignedInstances": TEXTS,
            "conditions": CONDITIONS,
            "lastReconcileAt": TIME,
            "lastUsageReconcileAt": TIME,
            "statusSummary": TEXT,
            "usageObservedGeneration": {**LONG, "minimum": 0},
            "usedResources": AMOUNTS,
        }
    )
    return definition(COMMITTED_RESOURCE, columns, _AGREED, status)


def capacities() -> dict[str, Any]:
    """The definition of FlavorGroupCapacity: what still fits of a flavor group in a zone. Steering does not read it."""
    columns = (
        column("Group", ".spec.flavorGroup"),
        column("AZ", ".spec.availabilityZone"),
        column("Running", ".status.runningInstances", type="integer"),
        column("Avail", ".status.exclusivelyFreeSlots", type="integer"),
        ready_column(),
        column("Reconciled", ".status.lastReconcileAt", type="date"),
        column("Age", ".metadata.creationTimestamp", type="date", priority=1),
        column("Free_Mem", ".status.freeCapacity.memory", priority=1),
        column("Excl_Mem", ".status.exclusivelyFreeCapacity.memory", priority=1),
        column("Free_CPU", ".status.freeCapacity.cores", priority=1),
        column("Excl_CPU", ".status.exclusivelyFreeCapacity.cores", priority=1),
    )
    counts = ("placeableHosts", "placeableVms", "totalCapacityHosts", "totalCapacityVmSlots")
    status = obj(
        {
            "committedCapacity": LONG,
            "committedCapacityBytes": LONG,
            "conditions": CONDITIONS,
            "exclusivelyFreeCapacity": AMOUNTS,
            "exclusivelyFreeSlots": LONG,
            "flavors": array(obj({"flavorName": TEXT, **dict.fromkeys(counts, LONG)}, "flavorName")),
            "freeCapacity": AMOUNTS,
            "lastReconcileAt": TIME,
            "runningInstances": LONG,
            "runningResources": AMOUNTS,
            "smallestFlavorName": TEXT,
            "totalCapacity": AMOUNTS,
        }
    )
    spec = obj({"availabilityZone": TEXT, "flavorGroup": TEXT}, "availabilityZone", "flavorGroup")
    return definition(FLAVOR_GROUP_CAPACITY, columns, spec, status)


def quotas() -> dict[str, Any]:
    """The definition of ProjectQuota: numbers of one project in one zone, by resource such as `hw_version_<v>_ram`."""
    columns = (
        column("Project", ".spec.projectID"),
        column("AZ", ".spec.availabilityZone"),
        column("Domain", ".spec.domainID"),
        column("LastReconcile", ".status.lastReconcileAt", type="date"),
        ready_column(),
        column("TotalUsage", ".status.totalUsageSummary", priority=1),
        column("PaygUsage", ".status.paygUsageSummary", priority=1),
        column("LimesUsage", ".status.limesUsageSummary", priority=1),
        column("LimesQuota", ".status.limesQuotaSummary", priority=1),
    )
    counts = mapping(LONG)
    spec = obj(
        {
            "availabilityZone": NAME,
            "domainID": TEXT,
            "domainName": TEXT,
            "projectID": TEXT,
            "projectName": TEXT,
            "quota": counts,
        },
        "availabilityZone", "domainID", "projectID",
    )  # fmt: skip
    status = obj(
        {
            "conditions": CONDITIONS,
            "lastFullReconcileAt": TIME,
            "lastReconcileAt": TIME,
            "limesQuotaSummary": TEXT,
            "limesUsageSummary": TEXT,
            "observedGeneration": LONG,
            "paygUsage": counts,
            "paygUsageSummary": TEXT,
            "totalUsage": counts,
            "totalUsageSummary": TEXT,
        }
    )
    return definition(PROJECT_QUOTA, columns, spec, status)
