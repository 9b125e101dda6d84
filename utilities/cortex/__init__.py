"""Cortex, the scheduler that Nova asks: requests, Decisions, what it counts, slots and how they follow their VMs."""

from utilities.cortex.cortex import Cortex, connected_cortex
from utilities.cortex.request import Flavor, Request
from utilities.cortex.run import Run, StepResult

__all__ = ["Cortex", "Flavor", "Request", "Run", "StepResult", "connected_cortex"]
