"""The definition of Reservation: a slot held on one hypervisor, and the VMs expected and confirmed in it (§1.1)."""

from __future__ import annotations

from typing import Any

from lab.cortex.crds.frame import AMOUNTS, CONDITIONS, definition, ready_column
from lab.cortex.kinds import RESERVATION
from lab.hypervisor_operator.crds.parts import LONG, TEXT, TIME, column, mapping, obj

TYPES = ("CommittedResourceReservation", "FailoverReservation", "InFlightReservation")
_EXPECTED = obj({"creationTimestamp": TIME, "resources": AMOUNTS}, "creationTimestamp", "resources")
_COLUMNS = (
    column("Type", r".metadata.labels.reservations\.cortex\.cloud/type"),
    column("Host", ".status.host"),
    ready_column(),
    column("ResourceGroup", ".spec.committedResourceReservation.resourceGroup"),
    column("HA ResourceGroup", ".spec.failoverReservation.resourceGroup", priority=1),
    column("Project", ".spec.committedResourceReservation.projectID"),
    column("AZ", ".spec.availabilityZone"),
    column("StartTime", ".spec.startTime", priority=1),
    column("EndTime", ".spec.endTime"),
    column("Resources", ".spec.resources", priority=1),
    column("LastChanged", ".status.failoverReservation.lastChanged", type="date", priority=1),
    column("AcknowledgedAt", ".status.failoverReservation.acknowledgedAt", type="date", priority=1),
    column("CR Allocations", ".status.committedResourceReservation.allocations", priority=1),
    column("HA Allocations", ".status.failoverReservation.allocations", priority=1),
)


def reservations() -> dict[str, Any]:
    """The CustomResourceDefinition."""
    committed = obj(
        {
            "allocations": mapping(_EXPECTED),
            "commitmentUUID": TEXT,
            "creator": TEXT,
            "domainID": TEXT,
            "parentGeneration": LONG,
            "projectID": TEXT,
            "resourceGroup": TEXT,
            "resourceName": TEXT,
        }
    )
    spec = obj(
        {
            "availabilityZone": TEXT,
            "committedResourceReservation": committed,
            "endTime": TIME,
            "failoverReservation": obj({"resourceGroup": TEXT}),
            "inFlightReservation": obj(dict.fromkeys(("intent", "projectID", "userID", "vmID"), TEXT)),
            "resources": AMOUNTS,
            "schedulingDomain": TEXT,
            "startTime": TIME,
            "targetHost": TEXT,
            "type": {"type": "string", "enum": list(TYPES)},
        },
        "type",
    )
    hosts = mapping(TEXT)
    status = obj(
        {
            "committedResourceReservation": obj({"allocations": hosts, "observedParentGeneration": LONG}),
            "conditions": CONDITIONS,
            "failoverReservation": obj({"acknowledgedAt": TIME, "allocations": hosts, "lastChanged": TIME}),
            "host": TEXT,
            "inFlightReservation": {"type": "object"},
        }
    )
    return definition(RESERVATION, _COLUMNS, spec, status)
