"""An Eviction and its Hypervisor over time: the queue, what was told, how it ended (operator sheet §1 to §3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from utilities.history.machines import Condition, conditions
from utilities.history.objects import EVICTION, HYPERVISOR, Obj, condition_of, dig, seconds
from utilities.history.recording import Recording, Step
from utilities.history.records import Change, Record

_EVICTING, _MIGRATING, _LISTED = "Evicting", "MigratingInstance", "PreflightChecksSucceeded"
_OUTCOMES = ("Succeeded", "Failed")
_REPORTS = ("Evicting", "Evicted")


@dataclass(frozen=True, slots=True, repr=False)
class EvictionPast:
    """One Eviction, by its name. Servers are uuids. Raises NotEnoughEvidence where the recording cannot tell."""

    recording: Recording
    name: str

    def __repr__(self) -> str:
        """Short: it stands in messages of assertions, beside the story."""
        return f"<Eviction {self.name}>"

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
    def order_of_end(self) -> int | None:
        """The order (see Record) of the first word of its end, None if it did not end."""
        return self._ended.order if self._ended is not None else None

    @property
    def _ended(self) -> Record | None:
        steps = conditions(self.recording, EVICTION, self.name, _EVICTING)
        return next((step.record for step in steps if step.value and step.value.reason in _OUTCOMES), None)

    @property
    def outcome(self) -> str:
        """Succeeded or Failed, "" if it did not end."""
        return _reason(self._ended.object, _EVICTING) if self._ended is not None else ""

    @property
    def ended_at(self) -> float:
        """The latest moment with the stamp of its end, product seconds; infinite if it did not end."""
        stamp = dig(condition_of(self._ended.object, _EVICTING), "lastTransitionTime") if self._ended else None
        return math.nextafter(seconds(stamp) + 1, -math.inf) if stamp else math.inf

    @property
    def left_at_its_end(self) -> tuple[str, ...]:
        """The servers that were outstanding when it ended."""
        return _outstanding(self._ended.object) if self._ended is not None else ()

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

    def queue_without(self, server: str) -> tuple[str, ...] | None:
        """The queue as it was when this server had left it for the first time; None if it never did."""
        step = self._taken_out(server)
        return None if step is None else step.value

    def taken_out_at_once(self, servers: Iterable[str]) -> bool:
        """Whether one change took all of these out of the queue."""
        steps = [self._taken_out(server) for server in servers]
        return all(steps) and len({step.record.order for step in steps if step is not None}) == 1

    @property
    def came_back(self) -> frozenset[str]:
        """Servers that entered the queue again after they had left it."""
        left: set[str] = set()
        again: set[str] = set()
        for before, after in pairwise(self.queues):
            left |= set(before) - set(after)
            again |= set(after) & left
        return frozenset(again)

    def _taken_out(self, server: str) -> Step | None:
        """The queue from the change on by which this server left it for the first time."""
        steps = pairwise(self._queue())
        return next((after for before, after in steps if server in before.value and server not in after.value), None)

    def _queue(self) -> Iterator[Step]:
        steps = self.recording.steps(EVICTION, self.name, _listed)
        yield from (step for step in steps if step.value is not None)


@dataclass(frozen=True, slots=True, repr=False)
class HypervisorPast:
    """One Hypervisor, by its name. Raises NotEnoughEvidence where the recording cannot tell."""

    recording: Recording
    name: str

    def __repr__(self) -> str:
        """Short: it stands in messages of assertions, beside the story."""
        return f"<Hypervisor {self.name}>"

    def said(self, condition: str) -> tuple[Condition | None, ...]:
        """A condition each time that it changed."""
        return tuple(step.value for step in conditions(self.recording, HYPERVISOR, self.name, condition))

    @property
    def disabled_at(self) -> float:
        """The earliest moment with the stamp at which it first read as disabled; infinite if it never did.

        The stamp is of the operator's own clock. Where that is ahead, the API server's stamp of the write counts.
        """
        for record in self.recording.of_kind(HYPERVISOR, self.name):
            told = condition_of(record.object, "HypervisorDisabled") or {}
            if told.get("status") == "True":
                writes = dig(record.object, "metadata", "managedFields") or ()
                written = [seconds(write["time"]) for write in writes if "time" in write]
                return min(seconds(told["lastTransitionTime"]), max(written, default=math.inf))
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
    def evicted(self) -> int | None:
        """The order (see Record) of the first state in which it counts as evicted, None if it never did."""
        self.recording.require_whole(HYPERVISOR)
        records = self.recording.of_kind(HYPERVISOR, self.name)
        return next((record.order for record in records if dig(record.object, "status", "evicted") is True), None)


def _listed(eviction: Obj) -> tuple[str, ...] | None:
    """Its queue, None before the servers were listed."""
    told = condition_of(eviction, _LISTED) or {}
    return _outstanding(eviction) if told.get("status") == "True" else None


def _outstanding(eviction: Obj) -> tuple[str, ...]:
    return tuple(dig(eviction, "status", "outstandingInstances") or ())


def _reason(obj: Obj, condition: str) -> str:
    return str((condition_of(obj, condition) or {}).get("reason") or "")
