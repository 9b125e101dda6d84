"""The filters that the program has (Cortex sheet §3)."""

from __future__ import annotations

from lab.cortex.scheduling.steps import Step

FILTERS: tuple[Step, ...] = ()
