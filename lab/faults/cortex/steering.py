"""Faults of the steering weigher and of its place in a pipeline (Cortex sheet §11: F1-F3, F8, F12, F15-F19, F24, F25,
F32)."""

from __future__ import annotations

from math import tanh

from lab.controllers.answers import answering
from lab.controllers.decisions import Row
from lab.cortex.scheduling.building import KNOWN
from lab.cortex.scheduling.intents import EVACUATE, HINT, LIVE_MIGRATION, intent_of
from lab.cortex.scheduling.pipeline import WHOLE
from lab.cortex.scheduling.reserved import Reservation
from lab.cortex.scheduling.weighers.migration_slot import (
    ACTIVATIONS,
    COUNTED,
    DEFAULT_WEIGHT,
    FOUND,
    INTENT,
    LISTING,
    NAME,
    NEED,
    NO_SLOT,
    OUTCOME,
    SLOT_WEIGHT,
    SOURCE,
    WEIGHTS,
    Moving,
    Scored,
    Verdict,
    Weights,
)
from lab.faults.cortex.making import instead, steering
from lab.faults.fault import Fault, ahead, saying, would

_MEBIBYTE = 2**20
_UNREADY = would(SOURCE, "not ready")


def _expecting(moving: Moving) -> tuple[Reservation, ...]:
    return tuple(
        each
        for each in moving.view.reservations
        if each.labelled and each.committed is not None and moving.vm in each.committed.expected
    )


def _any_filled(moving: Moving) -> tuple[Reservation, ...]:
    """Sound slots, whomever they hold, the last one first."""
    slots = reversed(moving.view.reservations)
    return tuple(each for each in slots if each.labelled and each.ready and each.confirmed)


def _nothing_fits(scored: Scored) -> bool:
    return scored.tally.slots + scored.tally.rooms == 0


def _uneven(scored: Scored) -> dict[str, float]:
    """Each host a little worse than the one before."""
    return {host: -0.1 * number for number, host in enumerate(scored.activations)}


def _fitting(scored: Scored) -> dict[str, float]:
    """Only the best, and none if nothing fits."""
    best = None if _nothing_fits(scored) else max(scored.activations.values())
    return {host: each for host, each in scored.activations.items() if each == best}


UNSPECIFIED_SOURCE_UNGUARDED = Fault(
    "cortex_unspecified_source_unguarded",
    "A source slot without the part of its kind takes the process down.",
    steering(20),
    ahead(
        SOURCE,
        saying("unguarded", lambda slot: slot.committed is None and slot.memory != 0, Verdict.DIES),
    ),
)
UNREADY_SOURCE_ACCEPTED = Fault(
    "cortex_unready_source_accepted",
    "A slot that is not Ready counts as source.",
    steering(19),
    ahead(
        SOURCE,
        saying(
            "not ready",
            lambda slot: _UNREADY(slot) and slot.committed is not None and slot.memory != 0,
            Verdict.SOURCE,
        ),
    ),
)
EVERY_INTENT_STEERED = Fault(
    "cortex_every_intent_steered",
    "Runs are steered whatever they are for.",
    steering(22),
    ahead(INTENT, instead("any", lambda _: True)),
)
EVACUATIONS_STEERED = Fault(
    "cortex_evacuations_steered",
    "Evacuations are steered too.",
    steering(22),
    ahead(INTENT, saying("evacuation", lambda request: intent_of(request) == EVACUATE, True)),
)
INTENT_READ_AS_HINT = Fault(
    "cortex_intent_read_as_hint",
    "The hint is compared with the name of the intent, so that no live migration is steered.",
    steering(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 21, 22, 23, 24, 25, 26, 27, 28, 30, 31, 33, 34),
    ahead(INTENT, instead("hint", lambda request: request.hint(HINT) == LIVE_MIGRATION)),
)
FLAVOR_SIZE_COUNTED = Fault(
    "cortex_flavor_size_counted",
    "A target has to take the flavor's size instead of the slot's.",
    steering(13, 31, 33, 34),
    ahead(NEED, instead("flavor", lambda sized: sized.request.flavor.memory_mb * _MEBIBYTE)),
)
EXPECTED_SOURCE = Fault(
    "cortex_expected_source",
    "The source is the slot that expects the VM, not the one it is confirmed in.",
    steering(18),
    ahead(LISTING, instead("expected", _expecting)),
)
ANY_SLOT_STEERS = Fault(
    "cortex_any_slot_steers",
    "A VM in no slot is steered by the last slot that holds any VM.",
    steering(17, 18, 27, 32),
    ahead(
        LISTING,
        Row("fault: any", lambda moving: not moving.view.holding(moving.vm), answering(_any_filled)),
    ),
)
WEIGHTS_AS_COMMENTED = Fault(
    "cortex_weights_as_commented",
    "Weights that are not configured are those of older comments, one and a tenth.",
    steering(23),
    ahead(
        WEIGHTS,
        instead("comments", lambda params: Weights(params.get(SLOT_WEIGHT, 1.0), params.get(DEFAULT_WEIGHT, 0.1))),
    ),
)
WEIGHTS_SWAPPED = Fault(
    "cortex_weights_swapped",
    "Weights that are not configured are swapped: hosts that cannot take the slot are preferred.",
    steering(23, 31, 33, 34),
    ahead(
        WEIGHTS,
        instead("swapped", lambda params: Weights(params.get(SLOT_WEIGHT, 0.0), params.get(DEFAULT_WEIGHT, 0.1))),
    ),
)
WEIGHTS_IGNORED = Fault(
    "cortex_weights_ignored",
    "Weights that are configured have no effect.",
    steering(24),
    ahead(WEIGHTS, instead("fixed", lambda _: Weights(0.1, 0.0))),
)
UNEVEN_WHEN_NOTHING_FITS = Fault(
    "cortex_uneven_when_nothing_fits",
    "Where no host can take the slot they are weighed by their place in the list.",
    steering(16),
    ahead(ACTIVATIONS, Row("fault: uneven", _nothing_fits, answering(_uneven))),
)
UNFIT_HOSTS_LOST = Fault(
    "cortex_unfit_hosts_lost",
    "Hosts that cannot take the slot are missing from the answer, so that the step is left out.",
    steering(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 23, 24, 25, 26, 28, 30, 31, 33, 34),
    ahead(ACTIVATIONS, instead("fitting", _fitting)),
)
UNFIT_HOSTS_REMOVED = Fault(
    "cortex_unfit_hosts_removed",
    "Hosts that cannot take the slot are removed from the run, all of them if none can.",
    steering(16, 23, 24, 25, 26),
    {**ahead(ACTIVATIONS, instead("fitting", _fitting)), **ahead(WHOLE, instead("any", lambda _: True))},
)
TANH_IN_STEP = Fault(
    "cortex_tanh_in_step",
    "The step squashes its weights itself, before the pipeline does.",
    steering(23, 24),
    ahead(
        ACTIVATIONS,
        instead("squashed", lambda scored: {host: tanh(each) for host, each in scored.activations.items()}),
    ),
)
UNCOUNTED = Fault(
    "cortex_uncounted",
    "Runs of the steering weigher are not counted.",
    steering(21, 27, 28),
    ahead(COUNTED, instead("none", lambda _: ())),
)
COUNTED_PER_HOST = Fault(
    "cortex_counted_per_host",
    "Runs of the steering weigher are counted once for each host.",
    steering(21, 27, 28),
    ahead(COUNTED, instead("each host", lambda ended: (ended.label,) * ended.hosts)),
)
COUNTED_TWICE = Fault(
    "cortex_counted_twice",
    "Runs of the steering weigher are counted twice.",
    steering(21, 27, 28),
    ahead(COUNTED, instead("twice", lambda ended: (ended.label,) * 2)),
)
ROOM_COUNTED_AS_SLOT = Fault(
    "cortex_room_counted_as_slot",
    "Room for a slot is counted as a slot that was found.",
    steering(28),
    ahead(OUTCOME, saying("room", lambda tally: tally.rooms > 0, FOUND)),
)
SLOT_COUNTED_AS_NONE = Fault(
    "cortex_slot_counted_as_none",
    "A slot that was found is counted as none.",
    steering(27),
    ahead(OUTCOME, instead("none", lambda _: NO_SLOT)),
)
EMPTY_SOURCE_STEERS = Fault(
    "cortex_empty_source_steers",
    "A source slot without memory counts as one that needs none.",
    steering(21),
    ahead(SOURCE, saying("no need", would(SOURCE, "no memory"), Verdict.SOURCE)),
)
STEERING_MISSING = Fault(
    "cortex_steering_missing",
    "The program does not have the steering weigher.",
    steering(
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        12,
        13,
        14,
        15,
        16,
        17,
        18,
        19,
        21,
        22,
        23,
        24,
        25,
        26,
        27,
        28,
        29,
        30,
        31,
        33,
        34,
    ),
    ahead(KNOWN, saying("not there", lambda named: named.step == NAME, False)),
)
STEERING_MISSING_FOR_HANA = Fault(
    "cortex_steering_missing_for_hana",
    "The steering weigher is missing in the pipelines for HANA.",
    steering(29),
    ahead(KNOWN, saying("not for HANA", lambda named: named.step == NAME and "hana" in named.pipeline, False)),
)
STEERING_FAULTS: tuple[Fault, ...] = (
    UNSPECIFIED_SOURCE_UNGUARDED,
    UNREADY_SOURCE_ACCEPTED,
    EVERY_INTENT_STEERED,
    EVACUATIONS_STEERED,
    INTENT_READ_AS_HINT,
    FLAVOR_SIZE_COUNTED,
    EXPECTED_SOURCE,
    ANY_SLOT_STEERS,
    WEIGHTS_AS_COMMENTED,
    WEIGHTS_SWAPPED,
    WEIGHTS_IGNORED,
    UNEVEN_WHEN_NOTHING_FITS,
    UNFIT_HOSTS_LOST,
    UNFIT_HOSTS_REMOVED,
    TANH_IN_STEP,
    UNCOUNTED,
    COUNTED_PER_HOST,
    COUNTED_TWICE,
    ROOM_COUNTED_AS_SLOT,
    SLOT_COUNTED_AS_NONE,
    EMPTY_SOURCE_STEERS,
    STEERING_MISSING,
    STEERING_MISSING_FOR_HANA,
)
