"""The filters that the program has (Cortex sheet §3, §8). Each sees only hosts that are still in the run."""

from __future__ import annotations

from lab.cortex.scheduling.filters.capacity import ENOUGH_CAPACITY
from lab.cortex.scheduling.filters.groups import AFFINITY, ANTI_AFFINITY
from lab.cortex.scheduling.filters.instructions import EXCLUDE_HOSTS, HOST_INSTRUCTIONS, REQUESTED_DESTINATION
from lab.cortex.scheduling.filters.migratable import LIVE_MIGRATABLE
from lab.cortex.scheduling.filters.platform import CAPABILITIES, IMAGE_PROPERTIES
from lab.cortex.scheduling.filters.quota import QUOTA_ENFORCEMENT
from lab.cortex.scheduling.filters.state import CORRECT_AZ, STATUS_CONDITIONS
from lab.cortex.scheduling.filters.tenants import AGGREGATE_METADATA, ALLOWED_PROJECTS
from lab.cortex.scheduling.filters.traits import ACCELERATORS, EXTERNAL_CUSTOMER, REQUESTED_TRAITS
from lab.cortex.scheduling.steps import Step

FILTERS: tuple[Step, ...] = (
    AGGREGATE_METADATA,
    ALLOWED_PROJECTS,
    CAPABILITIES,
    CORRECT_AZ,
    EXCLUDE_HOSTS,
    EXTERNAL_CUSTOMER,
    ACCELERATORS,
    ENOUGH_CAPACITY,
    REQUESTED_TRAITS,
    HOST_INSTRUCTIONS,
    IMAGE_PROPERTIES,
    AFFINITY,
    ANTI_AFFINITY,
    LIVE_MIGRATABLE,
    QUOTA_ENFORCEMENT,
    REQUESTED_DESTINATION,
    STATUS_CONDITIONS,
)
