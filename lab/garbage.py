"""How often Python looks for garbage in a lab."""

from __future__ import annotations

import gc

_THRESHOLDS = (50_000, 10, 10)  # containers more than before, and how often each generation skips the next


def collect_seldom() -> None:
    """Look for garbage less often from now on, and never in what exists already: for a process that is all lab.

    Nearly everything in a lab is kept, and little of what goes is circular, so that a look finds nothing to do and
    costs the more the larger the lab is.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
