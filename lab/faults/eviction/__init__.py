"""Faults of a drain: the ways of operator sheet §8, and others.

Those that only bring back what the product does (`restored`) show on the program with the lab's fixes; on the product
as it is the same scenarios are known to fail.
"""

from __future__ import annotations

from lab.faults.eviction.outcome import OUTCOME
from lab.faults.eviction.pace import PACE
from lab.faults.eviction.servers import SERVERS
from lab.faults.fault import Fault
from lab.faults.nova import NOVA_FAULTS

EVICTION_FAULTS: tuple[Fault, ...] = (*PACE, *SERVERS, *OUTCOME, *NOVA_FAULTS)

__all__ = ["EVICTION_FAULTS"]
