"""Faults of what a guest of Nova's goes through while it is steered to another host."""

from __future__ import annotations

from dataclasses import replace

from lab.controllers.answers import answer, answering
from lab.controllers.decisions import Row
from lab.faults.cortex.making import steering
from lab.faults.fault import Fault, ahead, would
from lab.openstack.compute.live import LIVE
from lab.openstack.compute.servers import SHUTDOWN
from lab.openstack.compute.steps import Move, Step


def _off(move: Move) -> Step:
    sound: Step = answer(LIVE, move)
    return replace(sound, server={**sound.server, "vm_state": "stopped", "power_state": SHUTDOWN})


def _booted(move: Move) -> Step:
    sound: Step = answer(LIVE, move)
    return replace(sound, transfer="power-on")


OFF_ON_ARRIVAL = Fault(
    "off_on_arrival",
    "A VM that was live-migrated is powered off on its new host.",
    steering(40, 41, 43),
    ahead(LIVE, Row("fault: powered off", would(LIVE, "arrived"), answering(_off))),
)
BOOTED_ON_ARRIVAL = Fault(
    "booted_on_arrival",
    "The guest of a VM that was live-migrated boots anew on its new host.",
    steering(41, 43),
    ahead(LIVE, Row("fault: booted anew", would(LIVE, "arrived"), answering(_booted))),
)
ARRIVING_FAULTS: tuple[Fault, ...] = (OFF_ON_ARRIVAL, BOOTED_ON_ARRIVAL)
