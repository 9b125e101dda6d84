"""From the order of a run to the answer over HTTP (Cortex sheet §2). The Decision door takes the order as it is."""

from __future__ import annotations

import random

from lab.cortex.scheduling.intents import EVACUATE, intent_of
from lab.cortex.scheduling.request import Request
from lab.cortex.scheduling.runs import Run


def hosts_for_nova(
    request: Request, run: Run, rng: random.Random, *, limited: bool, shuffled: int = 0
) -> list[str] | None:
    """`hosts` of the answer; None, JSON's null, if there are none.

    request: as it came. limited: `novaLimitHostsToRequest`. shuffled: `evacuationShuffleK`, how many of the first
    hosts an evacuation finds in random order.
    """
    asked = frozenset(request.hosts)
    hosts = [host for host in run.ordered_hosts if not limited or host in asked]
    if intent_of(request) == EVACUATE and shuffled > 0:
        first = hosts[:shuffled]
        rng.shuffle(first)
        hosts[:shuffled] = first
    return hosts or None
