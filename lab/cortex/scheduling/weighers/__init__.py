"""The weighers that the program has (Cortex sheet §5, §8)."""

from __future__ import annotations

from lab.cortex.scheduling.steps import Step
from lab.cortex.scheduling.weighers.affinity import SOFT_AFFINITY
from lab.cortex.scheduling.weighers.committed import COMMITTED_RESERVATION
from lab.cortex.scheduling.weighers.failover import CONSOLIDATION, FAILOVER_EVACUATION
from lab.cortex.scheduling.weighers.migration_slot import MIGRATION_SLOT
from lab.cortex.scheduling.weighers.sizes import BINPACK, SMALLER_HOSTS

WEIGHERS: tuple[Step, ...] = (
    BINPACK,
    COMMITTED_RESERVATION,
    FAILOVER_EVACUATION,
    CONSOLIDATION,
    SOFT_AFFINITY,
    SMALLER_HOSTS,
    MIGRATION_SLOT,
)
"""Those for VMware are not simulated: a pipeline that names them has unknown steps."""
