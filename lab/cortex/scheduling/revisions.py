"""Versions of the program that differ in the steering weigher (Cortex sheet, revisions)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.controllers.answers import says
from lab.controllers.decisions import Faults, Row
from lab.cortex.scheduling.building import KNOWN
from lab.cortex.scheduling.weighers.migration_slot import NAME, SOURCE, Verdict

Rows = Mapping[str, tuple[Row[Any], ...]]
LATEST = "R3"

REVISIONS: Mapping[str, Rows] = {
    "R0": {KNOWN.name: (Row("R0: not merged", lambda named: named.step == NAME, says(False)),)},
    "R2": {
        SOURCE.name: (
            Row("R2: no memory", lambda slot: slot.memory == 0, says(Verdict.NONE)),
            Row("R2: no guard", lambda slot: slot.committed is None, says(Verdict.DIES)),
            Row("R2: whatever its state", lambda _: True, says(Verdict.SOURCE)),
        )
    },
    LATEST: {},
}
"""R0: the weigher is not there. R2: the first slot that lists the VM is the source, ready or not. R1, a filter, is not
simulated."""


def with_revision(revision: str, faults: Faults | None = None) -> Faults:
    """The rows of a revision, behind those of the faults. Raises KeyError for one that is not simulated."""
    rows = dict((faults or Faults()).rows)
    for table, own in REVISIONS[revision].items():
        rows[table] = (*rows.get(table, ()), *own)
    return Faults(rows)
