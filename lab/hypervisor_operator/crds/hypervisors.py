"""The definition of Hypervisor: a machine's wanted state, and what several controllers report of it (sheet §1)."""

from __future__ import annotations

from typing import Any

from lab.apiserver.custom.schemas.types import Schema
from lab.hypervisor_operator.crds.parts import (
    CONDITIONS,
    FLAG,
    LONG,
    NAME,
    QUANTITY,
    TEXT,
    TEXTS,
    TIME,
    WHOLE,
    array,
    column,
    condition_column,
    default,
    definition,
    mapping,
    obj,
    ruled,
)
from lab.hypervisor_operator.kinds import HYPERVISOR

MAINTENANCE = ("", "manual", "auto", "ha", "termination")
_UUID = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
_AMOUNTS = mapping(QUANTITY)
_FIXED = (
    "!has(oldSelf.maintenance) || oldSelf.maintenance != 'termination' || self.maintenance == 'ha' || self == oldSelf",
    "spec is immutable when maintenance is 'termination'; can only change maintenance to 'ha'",
)
_REASONED = (
    "!has(self.maintenance) || self.maintenance != 'manual' || "
    "(has(self.maintenanceReason) && self.maintenanceReason.size() > 0)",
    "maintenanceReason must be non-empty when maintenance is 'manual'",
)
_ONE_TYPE = (
    "(has(self.trait) ? 1 : 0) + (has(self.aggregate) ? 1 : 0) == 1",
    "exactly one group type must be set",
)
_GROUP = obj(
    {
        "aggregate": obj(
            {"metadata": mapping(TEXT), "name": NAME, "uuid": {"type": "string", "pattern": _UUID}}, "name", "uuid"
        ),
        "trait": obj({"name": NAME}, "name"),
    }
)
_DEFAULTED: dict[str, Schema] = {
    "aggregates": default(TEXTS, []),
    "allowedProjects": default(TEXTS, []),
    "createCertManagerCertificate": default(FLAG, False),
    "customTraits": default(TEXTS, []),
    "evacuateOnReboot": default(FLAG, True),
    "highAvailability": default(FLAG, True),
    "installCertificate": default(FLAG, True),
    "lifecycleEnabled": default(FLAG, True),
    "reboot": default(FLAG, False),
    "skipTests": default(FLAG, False),
}
_OVERCOMMIT = ruled(mapping({"type": "number"}), ("self.all(k, self[k] >= 1.0)", "overcommit ratios must be >= 1.0"))
_SYSTEM = obj(
    {
        "firmwareDate": TIME,
        "gardenLinuxFeatures": TEXTS,
        **dict.fromkeys(
            (
                "firmwareVendor", "firmwareVersion", "gardenLinuxCommitID", "hardwareModel", "hardwareSerial",
                "hardwareVendor", "kernelCommandLine", "kernelName", "kernelRelease", "kernelVersion", "prettyVersion",
                "variantID", "version",
            ),
            TEXT,
        ),
    }
)  # fmt: skip
_UNKNOWN = default(TEXT, "unknown")
_REPORTED: dict[str, Schema] = {
    "allocation": _AMOUNTS,
    "capabilities": obj({"cpuArch": _UNKNOWN, "cpus": QUANTITY, "memory": QUANTITY}),
    "capacity": _AMOUNTS,
    "cells": array(
        obj({"allocation": _AMOUNTS, "capacity": _AMOUNTS, "cellID": LONG, "effectiveCapacity": _AMOUNTS}, "cellID")
    ),
    "domainCapabilities": obj(
        {
            "arch": _UNKNOWN,
            "hypervisorType": _UNKNOWN,
            "supportedCpuModes": default(TEXTS, []),
            "supportedDevices": default(TEXTS, []),
            "supportedFeatures": default(TEXTS, []),
        }
    ),
    "effectiveCapacity": _AMOUNTS,
    "hypervisorVersion": _UNKNOWN,
    "instances": array(obj({"active": FLAG, "id": TEXT, "name": TEXT}, "active", "id", "name")),
    "libVirtVersion": _UNKNOWN,
    "numInstances": default(WHOLE, 0),
    "operatingSystem": _SYSTEM,
    "updateStatus": obj(
        {"inProgress": default(FLAG, False), "installed": _UNKNOWN, "retry": default(WHOLE, 3)}, "inProgress", "retry"
    ),
}  # written by the node agent, which is another program


def hypervisors() -> dict[str, Any]:
    """The CustomResourceDefinition. Fields with defaults are also required: defaults come before validation."""
    spec = obj(
        {
            **_DEFAULTED,
            "groups": array(ruled(_GROUP, _ONE_TYPE)),
            "maintenance": {"type": "string", "enum": list(MAINTENANCE)},
            "maintenanceReason": TEXT,
            "overcommit": _OVERCOMMIT,
            "version": TEXT,
        },
        *_DEFAULTED,
    )
    aggregate = obj({"metadata": mapping(TEXT), "name": TEXT, "uuid": TEXT}, "name", "uuid")
    status = obj(
        {
            **_REPORTED,
            "aggregates": array(aggregate),
            "conditions": CONDITIONS,
            "evicted": FLAG,
            "hypervisorId": TEXT,
            "internalIp": TEXT,
            "serviceId": TEXT,
            "specHash": TEXT,
            "traits": TEXTS,
        },
        "numInstances",
    )
    return definition(HYPERVISOR, _COLUMNS, ruled(spec, _FIXED, _REASONED), status)


_COLUMNS = (
    column("Zone", r".metadata.labels.topology\.kubernetes\.io/zone", priority=2),
    column("Building Block", r".metadata.labels.kubernetes\.metal\.cloud\.sap/bb", priority=2),
    column("Group", r".metadata.labels.worker\.garden\.sapcloud\.io/group", priority=2),
    condition_column("Ready", "Ready", "status"),
    condition_column("State", "Ready", "reason"),
    condition_column("Taint", "Tainted", "message"),
    column("Lifecycle", ".spec.lifecycleEnabled", type="boolean"),
    column("High Availability", ".spec.highAvailability", type="boolean"),
    column("Skip Tests", ".spec.skipTests", type="boolean"),
    column("Version", ".status.operatingSystem.prettyVersion"),
    column("IP", ".status.internalIp"),
    column("Instances", ".status.numInstances", type="integer"),
    column("Hardware", ".status.operatingSystem.hardwareModel", priority=2),
    column("Kernel", ".status.operatingSystem.kernelRelease", priority=2),
    condition_column("Onboarding", "Onboarding", "reason", priority=3),
    column("Service ID", ".status.serviceId", priority=3),
    column("Hypervisor ID", ".status.hypervisorId", priority=3),
    column("Age", ".metadata.creationTimestamp", type="date"),
)
