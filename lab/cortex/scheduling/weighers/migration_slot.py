"""The weigher `kvm_cr_migration_slot`: live migrations go to where the VM's slot can follow (Cortex sheet §5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from lab.controllers.answers import answer, answering, says
from lab.controllers.decisions import Row, Table
from lab.cortex.scheduling.amounts import Amount
from lab.cortex.scheduling.decoding import Kind
from lab.cortex.scheduling.intents import LIVE_MIGRATION, intent_of
from lab.cortex.scheduling.request import Request
from lab.cortex.scheduling.reserved import Reservation
from lab.cortex.scheduling.slots import SlotEvaluator, Wanted
from lab.cortex.scheduling.steps import Answered, Asked, Count, Params, ProcessDiedError, Step, everyone
from lab.cortex.scheduling.view import View

NAME = "kvm_cr_migration_slot"
FAMILY = "cortex_nova_weigh_cr_migration_slot_requests_total"
SLOT_WEIGHT, DEFAULT_WEIGHT = "slotHostWeight", "defaultHostWeight"
FOUND, NO_SLOT, NO_SOURCE, INVALID_SOURCE = "slot_found", "no_slot", "no_source_slot", "invalid_source_slot"


class Verdict(Enum):
    """What a reservation that lists the VM means for the run."""

    SOURCE = "it is the source slot"
    SKIP = "it is none, another may be"
    NONE = "there is no source slot"
    INVALID = "the source slot is invalid"
    DIES = "the process dies of it"


@dataclass(frozen=True, slots=True)
class Moving:
    """A VM whose source slot is looked for."""

    vm: str
    view: View


@dataclass(frozen=True, slots=True)
class Sized:
    """A source slot, and the request to move the VM in it."""

    slot: Reservation
    request: Request


@dataclass(frozen=True, slots=True)
class Weights:
    """Activations of hosts that can take the slot, and of the others."""

    slot: float
    default: float


@dataclass(frozen=True, slots=True)
class Tally:
    """Over all candidates: how many have a slot for it, how many only room for one."""

    slots: int
    rooms: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, and over how many candidates."""

    label: str
    hosts: int


@dataclass(frozen=True, slots=True)
class Scored:
    """What the step is about to answer."""

    activations: Mapping[str, float]
    tally: Tally


INTENT: Table[Request] = Table(
    "cortex-intent",
    (
        Row("live migration", lambda request: intent_of(request) == LIVE_MIGRATION, says(True)),
        Row("any other", lambda _: True, says(False)),
    ),
)
"""Answers whether the request is steered at all."""
LISTING: Table[Moving] = Table(
    "cortex-listing",
    (Row("confirmed", lambda _: True, answering(lambda moving: moving.view.holding(moving.vm))),),
)
"""Answers the reservations that list the VM, in list order."""
SOURCE: Table[Reservation] = Table(
    "cortex-source-slot",
    (
        Row("not ready", lambda slot: not slot.ready, says(Verdict.SKIP)),
        Row("no specification", lambda slot: slot.committed is None, says(Verdict.SKIP)),
        Row("no memory", lambda slot: slot.memory == 0, says(Verdict.INVALID)),
        Row("source", lambda _: True, says(Verdict.SOURCE)),
    ),
)
"""Answers what a reservation that lists the VM means."""
NEED: Table[Sized] = Table(
    "cortex-need", (Row("size of the slot", lambda _: True, answering(lambda sized: sized.slot.memory)),)
)
"""Answers the bytes a target has to take."""
WEIGHTS: Table[Params] = Table(
    "cortex-weights",
    (
        Row(
            "as configured",
            lambda _: True,
            answering(lambda params: Weights(params.get(SLOT_WEIGHT, 0.1), params.get(DEFAULT_WEIGHT, 0.0))),
        ),
    ),
)
"""Answers both weights. They are not looked at: negative ones are taken too."""
OUTCOME: Table[Tally] = Table(
    "cortex-outcome",
    (Row("a slot", lambda tally: tally.slots > 0, says(FOUND)), Row("none", lambda _: True, says(NO_SLOT))),
)
"""Answers the outcome of a run with a source slot: room alone is no slot that was found."""
COUNTED: Table[Outcome] = Table(
    "cortex-counted", (Row("once", lambda _: True, answering(lambda ended: (ended.label,))),)
)
"""Answers the labels to count, each by one."""
ACTIVATIONS: Table[Scored] = Table(
    "cortex-activations", (Row("as weighed", lambda _: True, answering(lambda scored: scored.activations)),)
)
"""Answers the activations of the step, raw: tanh and the multiplier are the pipeline's."""


def weigh(asked: Asked) -> Answered:
    """Boost the hosts that can take the slot of the VM, by a slot of their own or by room for one."""
    if not answer(asked.faults.ahead_of(INTENT), asked.request):
        return everyone(asked)
    table = asked.faults.ahead_of(SOURCE)
    for slot in answer(asked.faults.ahead_of(LISTING), Moving(asked.request.vm, asked.view)):
        verdict = answer(table, slot)
        if verdict is Verdict.SOURCE:
            return _boosted(asked, slot)
        if verdict is Verdict.DIES:
            raise ProcessDiedError(f"{NAME}: nil pointer dereference, reservation {slot.name} has no specification")
        if verdict is not Verdict.SKIP:
            return _unsteered(asked, INVALID_SOURCE if verdict is Verdict.INVALID else NO_SOURCE)
    return _unsteered(asked, NO_SOURCE)


def _boosted(asked: Asked, slot: Reservation) -> Answered:
    request, faults = asked.request, asked.faults
    need: Amount = answer(faults.ahead_of(NEED), Sized(slot, request))
    weights: Weights = answer(faults.ahead_of(WEIGHTS), asked.params)
    group = "" if slot.committed is None else slot.committed.group
    wanted = Wanted(request.project, group, request.vm, request.context.project)
    evaluator = SlotEvaluator(asked.view, faults)
    activations: dict[str, float] = {}
    slots = rooms = 0
    for host in asked.hosts:
        offer = evaluator.offer(host, wanted, need)
        has_slot = evaluator.has_slot_with_capacity(offer)
        has_room = not has_slot and evaluator.can_accommodate(offer)
        slots += has_slot
        rooms += has_room
        activations[host] = weights.slot if has_slot or has_room else weights.default
    tally = Tally(slots, rooms)
    shown: Mapping[str, float] = answer(faults.ahead_of(ACTIVATIONS), Scored(activations, tally))
    return _counted(asked, shown, answer(faults.ahead_of(OUTCOME), tally))


def _unsteered(asked: Asked, label: str) -> Answered:
    return _counted(asked, everyone(asked).activations, label)


def _counted(asked: Asked, activations: Mapping[str, float], label: str) -> Answered:
    labels = answer(asked.faults.ahead_of(COUNTED), Outcome(label, len(asked.hosts)))
    return Answered(activations, counts=tuple(Count(FAMILY, {"result": each}) for each in labels))


MIGRATION_SLOT = Step(NAME, weigh, {SLOT_WEIGHT: Kind.NUMBER, DEFAULT_WEIGHT: Kind.NUMBER})
