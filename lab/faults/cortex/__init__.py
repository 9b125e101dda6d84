"""Faults of Cortex: the ways of Cortex sheet §11, all but F22, which cannot be observed (see `evaluator`).

Beside these: what would be wrong with a steered VM itself.
"""

from __future__ import annotations

from lab.faults.cortex.arriving import ARRIVING_FAULTS
from lab.faults.cortex.evaluator import EVALUATOR_FAULTS
from lab.faults.cortex.following import FOLLOWING_FAULTS
from lab.faults.cortex.steering import STEERING_FAULTS
from lab.faults.fault import Fault

CORTEX_FAULTS: tuple[Fault, ...] = (
    *STEERING_FAULTS,
    *EVALUATOR_FAULTS,
    *FOLLOWING_FAULTS,
    *ARRIVING_FAULTS,
)
