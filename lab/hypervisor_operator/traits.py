"""The controller `traits`: brings `spec.customTraits` to Placement and all traits back to the status (sheet §3).

It acts only when the wanted custom traits differ from those in the status, order counted; so the status is as fresh as
the last change of the spec, and TraitsUpdated stays absent where nothing was ever to be changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from lab.apiserver.resources import Resource
from lab.controllers.answers import answer, says
from lab.controllers.decisions import Row, Table
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.requests import Outcome, set_traits, traits
from lab.hypervisor_operator.words import (
    FAILED,
    HANDOVER,
    ONBOARDING,
    SUCCEEDED,
    TRAITS_UPDATED,
    entry,
    found,
    reason,
    value,
)
from lab.hypervisor_operator.workers import Done, Names, itself

Json = Mapping[str, Any]
CONTROLLER = "traits"
CUSTOM = "CUSTOM_"
_WAIT = 10.0  # product seconds


class Step(StrEnum):
    """What one reconcile does."""

    NOTHING = "nothing"
    WAIT = "wait for the registration"
    APPLY = "apply"


def wanted(obj: Json) -> list[str]:
    """The custom traits the spec asks for."""
    return list(obj["spec"].get("customTraits") or ())


def applied(obj: Json) -> list[str]:
    """The custom traits the status shows."""
    return [name for name in (obj.get("status") or {}).get("traits") or () if name.startswith(CUSTOM)]


def _onboarded(obj: Json) -> bool:
    """Whether onboarding is over, or as far as waiting for this."""
    if found(obj, ONBOARDING) is None:
        return False
    return value(obj, ONBOARDING) != "True" or reason(obj, ONBOARDING) == HANDOVER


STEPS: Table[Json] = Table(
    "traits",
    (
        Row("not managed", lambda obj: not obj["spec"].get("lifecycleEnabled"), says(Step.NOTHING)),
        Row("not registered", lambda obj: not (obj.get("status") or {}).get("hypervisorId"), says(Step.WAIT)),
        Row("terminating", lambda obj: obj["spec"].get("maintenance") == "termination", says(Step.NOTHING)),
        Row("not onboarded", lambda obj: not _onboarded(obj), says(Step.NOTHING)),
        Row("as wanted", lambda obj: wanted(obj) == applied(obj), says(Step.NOTHING)),
        Row("changed", lambda _: True, says(Step.APPLY)),
    ),
)
"""Answers a Step."""


class TraitsController:
    """Follows Hypervisors."""

    name = CONTROLLER

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Hypervisors."""
        return {HYPERVISOR: itself}

    def reconcile(self, name: str) -> Talk[Done]:
        """Bring the traits of one Hypervisor to Placement."""
        obj = self._desk.hypervisor(name)
        step = Step.NOTHING if obj is None else answer(self._desk.tables.of(STEPS), obj)
        if obj is None or step is Step.NOTHING:
            return Done()
        return Done(after=_WAIT) if step is Step.WAIT else (yield from self._apply(obj))

    def _apply(self, obj: Json) -> Talk[Done]:
        name, provider = obj["metadata"]["name"], obj["status"]["hypervisorId"]
        current = yield from self._desk.session.call(traits(provider))
        if current.error:
            return (yield from self._fail(name, "Failed to get current traits from placement", current))
        present = sorted(current.body.get("traits") or ())
        target = _target(present, applied(obj), wanted(obj))
        if target != present:
            generation = int(current.body.get("resource_provider_generation", 0))
            changed = yield from self._desk.session.call(set_traits(provider, target, generation))
            if changed.error:
                return (yield from self._fail(name, "Failed to update traits in placement", changed))
        done = entry(TRAITS_UPDATED, True, SUCCEEDED, "Traits successfully updated")
        yield from self._desk.say(CONTROLLER, name, done, traits=target)
        return Done()

    def _fail(self, name: str, what: str, outcome: Outcome) -> Talk[Done]:
        message = f"{what}: {outcome.error}"
        yield from self._desk.say(CONTROLLER, name, entry(TRAITS_UPDATED, False, FAILED, message))
        return Done(error=outcome.error)


def _target(present: Sequence[str], was_applied: Iterable[str], is_wanted: Sequence[str]) -> list[str]:
    """All traits the provider should have: what was taken out of the spec goes, what is new in it comes."""
    gone = set(was_applied) - set(is_wanted)
    return sorted({*(name for name in present if name not in gone), *(set(is_wanted) - set(was_applied))})
