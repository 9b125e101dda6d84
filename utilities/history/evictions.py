"""An Eviction and its Hypervisor over time: the queue, what was told, how it ended (operator sheet §1 to §3)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from utilities.history.machines import Condition, conditions
from utilities.history.objects import EVICTION, HYPERVISOR, Obj, condition_of, dig, seconds
from utilities.history.recording import Recording, Step
from utilities.history.records import Change, Record

_EVICTING, _MIGRATING, _LISTED = "Evicting", "MigratingInstance", "PreflightChecksSucceeded"
_OUTCOMES = ("Succeeded", "Failed")
_REPORTS = ("Evicting", "Evicted")


@dataclass(frozen=True, slots=True)
class EvictionPast:
    """One Eviction, by its name. Servers are uuids. Raises NotEnoughEvidence where the recording cannot tell."""

    recording: Recording
    name: str

    @property
    def uids(self) -> tuple[str, ...]:
        """Those that existed under its name."""
        return tuple(dict.fromkeys(record.uid for record in self.recording.of_kind(EVICTION, self.name)))

    @property
    def queues(self) -> tuple[tuple[str, ...], ...]:
        """The outstanding servers each time that they changed, from the first list on."""
        return tuple(step.value for step in self._queue())

    @property
    def told(self) -> tuple[Condition, ...]:
        """What was said of the migration of its servers, in order."""
        steps = conditions(self.recording, EVICTION, self.name, _MIGRATING)
        return tuple(step.value for step in steps if step.value is not None)

    @property
    def ended(self) -> Record | None:
        """The first word of its end, None if it did not end."""
        steps = conditions(self.recording, EVICTION, self.name, _EVICTING)
        return next((step.record for step in steps if step.value and step.value.reason in _OUTCOMES), None)

    @property
    def outcome(self) -> str:
        """Succeeded or Failed, "" if it did not end."""
        return _reason(self.ended.object, _EVICTING) if self.ended is not None else ""

    @property
    def ended_at(self) -> float:
        """The latest moment with the stamp of its end, product seconds; infinite if it did not end."""
        stamp = dig(condition_of(self.ended.object, _EVICTING), "lastTransitionTime") if self.ended else None
        return math.nextafter(seconds(stamp) + 1, -math.inf) if stamp else math.inf

    @property
    def left_at_its_end(self) -> tuple[str, ...]:
        """The servers that were outstanding when it ended."""
        return _outstanding(self.ended.object) if self.ended is not None else ()

    @property
    def changes(self) -> int:
        """How often it changed since the recording began."""
        self.recording.require_whole(EVICTION)
        return sum(record.change is not Change.LISTED for record in self.recording.of_kind(EVICTION, self.name))

    def failures_of(self, server: str) -> list[str]:
        """What was told as a failure and names this server."""
        return [one.message for one in self.told if one.reason == "Failed" and server in one.message]

    def reasons_beside(self, server: str) -> set[str]:
        """Reasons that were told of migrations while this server was outstanding."""

        def pick(eviction: Obj) -> str | None:
            return _reason(eviction, _MIGRATING) if server in _outstanding(eviction) else None

        steps = self.recording.steps(EVICTION, self.name, pick)
        return {step.value for step in steps if step.value}

    def taken_out(self, server: str) -> Record | None:
        """The change by which it left the queue for the first time, None if it never did."""
        for before, after in pairwise(self._queue()):
            if server in before.value and server not in after.value:
                return after.record
        return None

    @property
    def came_back(self) -> frozenset[str]:
        """Servers that entered the queue again after they had left it."""
        left: set[str] = set()
        again: set[str] = set()
        for before, after in pairwise(self.queues):
            left |= set(before) - set(after)
            again |= set(after) & left
        return frozenset(again)

    def outstanding_at(self, record: Record) -> tuple[str, ...]:
        """The queue as one of its states shows it."""
        return _outstanding(record.object)

    def _queue(self) -> Iterator[Step]:
        steps = self.recording.steps(EVICTION, self.name, _listed)
        yield from (step for step in steps if step.value is not None)


@dataclass(frozen=True, slots=True)
class HypervisorPast:
    """One Hypervisor, by its name. Raises NotEnoughEvidence where the recording cannot tell."""

    recording: Recording
    name: str

    def said(self, condition: str) -> tuple[Condition | None, ...]:
        """A condition each time that it changed."""
        return tuple(step.value for step in conditions(self.recording, HYPERVISOR, self.name, condition))

    @property
    def disabled_at(self) -> float:
        """The earliest moment with the stamp at which it first read as disabled; infinite if it never did."""
        for record in self.recording.of_kind(HYPERVISOR, self.name):
            told = condition_of(record.object, "HypervisorDisabled") or {}
            if told.get("status") == "True":
                return seconds(told["lastTransitionTime"])
        return math.inf

    @property
    def reports(self) -> tuple[str, ...]:
        """Whether it read as evicting or as evicted while in maintenance, in order."""

        def pick(hypervisor: Obj) -> str | None:
            reason = _reason(hypervisor, "Ready")
            return reason if dig(hypervisor, "spec", "maintenance") and reason in _REPORTS else None

        steps = self.recording.steps(HYPERVISOR, self.name, pick)
        return tuple(step.value for step in steps if step.value is not None)

    @property
    def evicted(self) -> Record | None:
        """The first state in which it counts as evicted, None if it never did."""
        self.recording.require_whole(HYPERVISOR)
        records = self.recording.of_kind(HYPERVISOR, self.name)
        return next((record for record in records if dig(record.object, "status", "evicted") is True), None)


def _listed(eviction: Obj) -> tuple[str, ...] | None:
    """Its queue, None before the servers were listed."""
    told = condition_of(eviction, _LISTED) or {}
    return _outstanding(eviction) if told.get("status") == "True" else None


def _outstanding(eviction: Obj) -> tuple[str, ...]:
    return tuple(dig(eviction, "status", "outstandingInstances") or ())


def _reason(obj: Obj, condition: str) -> str:
    return str((condition_of(obj, condition) or {}).get("reason") or "")
