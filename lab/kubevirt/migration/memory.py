"""How large a migration is (kubevirt sheet §5.3)."""

from __future__ import annotations

import math
from decimal import Decimal

from lab.kubevirt.facts import Json
from lab.kubevirt.launcher_pod import guest_memory

_FRESH_OVERLAY = 196_928  # bytes of a qcow2 overlay that nothing was written to yet
_GIGA = 10**9


def data_size(vmi: Json) -> int:
    """Size of a migration for its time limit, in decimal GB rounded up (kubevirt sheet §5.3).

    Guest memory; with BlockMigration also the ephemeral disks.
    """
    size = guest_memory(vmi)
    if (vmi.get("status") or {}).get("migrationMethod") == "BlockMigration":
        for volume in vmi["spec"].get("volumes") or ():
            size += _FRESH_OVERLAY if "containerDisk" in volume or "ephemeral" in volume else 0
    return math.ceil(Decimal(size) / _GIGA)
