"""Cortex' kinds, all cluster-scoped (cortex sheet §1)."""

from __future__ import annotations

from lab.apiserver.resources import Resource

GROUP, VERSION = "cortex.cloud", "v1alpha1"
DOMAIN = "nova"  # the scheduling domain that is simulated
TYPE_LABEL = "reservations.cortex.cloud/type"  # of every reservation
COMMITTED, FAILOVER, IN_FLIGHT = "committed-resource", "failover", "in-flight"  # its values


def _kind(kind: str, plural: str, *selectable: str) -> Resource:
    return Resource(
        GROUP, VERSION, plural, kind, namespaced=False, subresources=("status",), custom=True, generation=True,
        unconditional_update=False, selectable_fields=selectable,
    )  # fmt: skip


RESERVATION = _kind("Reservation", "reservations")
COMMITTED_RESOURCE = _kind("CommittedResource", "committedresources")
PIPELINE = _kind("Pipeline", "pipelines")
DECISION = _kind("Decision", "decisions", "spec.resourceID")
HISTORY = _kind("History", "histories")
KNOWLEDGE = _kind("Knowledge", "knowledges")
FLAVOR_GROUP_CAPACITY = _kind("FlavorGroupCapacity", "flavorgroupcapacities")
PROJECT_QUOTA = _kind("ProjectQuota", "projectquotas")
DESCHEDULING = _kind("Descheduling", "deschedulings")  # watched by the binary at its start; the lab makes none
