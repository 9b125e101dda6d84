"""Cortex' kinds, all cluster-scoped, and the words they use (cortex sheet §1)."""

from __future__ import annotations

from utilities.clients import Resource

GROUP = "cortex.cloud"


def _kind(plural: str, kind: str) -> Resource:
    return Resource(GROUP, "v1alpha1", plural, kind, namespaced=False)


RESERVATIONS = _kind("reservations", "Reservation")
COMMITTED_RESOURCES = _kind("committedresources", "CommittedResource")
PIPELINES = _kind("pipelines", "Pipeline")
DECISIONS = _kind("decisions", "Decision")
HISTORIES = _kind("histories", "History")
KNOWLEDGES = _kind("knowledges", "Knowledge")

DOMAIN = "nova"
STEERING = "kvm_cr_migration_slot"
"""The weigher that draws live migrations to where their slot can follow."""
SLOT_WEIGHT, DEFAULT_WEIGHT = "slotHostWeight", "defaultHostWeight"
ZONE_LABEL = "topology.kubernetes.io/zone"
TYPE_LABEL = "reservations.cortex.cloud/type"
READY, ALL_READY, ALL_INDEXED = "Ready", "AllStepsReady", "AllStepsIndexed"
"""Conditions of a Pipeline; of a Reservation the first one."""
