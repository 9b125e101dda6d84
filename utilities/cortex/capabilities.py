"""What a site with Cortex offers to tests, by the names that `@pytest.mark.needs(...)` uses."""

from __future__ import annotations

from utilities.cortex.cortex import Cortex

NAMES = frozenset({"cortex", "cortex_metrics"})


def capabilities(cortex: Cortex) -> dict[str, int]:
    """1 or 0. cortex: the site names one, and pipelines are there; cortex_metrics: where it counts is known, too.

    Raises Blocked when nobody answers: tests would wait for it one after the other.
    """
    cortex.reach()
    installed = bool(cortex.pipelines())
    return {"cortex": int(installed), "cortex_metrics": int(installed and cortex.told is not None)}
