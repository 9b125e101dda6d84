"""The controller `aggregates`: puts a host into the aggregates its spec names (operator sheet §3, microversion 2.93).

While a host is being onboarded it belongs to its zone and the test aggregate instead; after a termination to none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.answers import answer, answering
from lab.controllers.decisions import Row, Table
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.requests import aggregates, change_aggregate
from lab.hypervisor_operator.words import (
    AGGREGATES_UPDATED,
    EVICTING,
    FAILED,
    HANDOVER,
    ONBOARDING,
    SUCCEEDED,
    TERMINATING,
    TRAITS_UPDATED,
    entry,
    found,
    reason,
    value,
)
from lab.hypervisor_operator.workers import Done, Names

Json = Mapping[str, Any]
Verb = Literal["add_host", "remove_host"]
CONTROLLER = "aggregates"
TEST_AGGREGATE, ZONE = "tenant_filter_tests", "topology.kubernetes.io/zone"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Names of the aggregates a host should be in, and what is to be said of it."""

    names: tuple[str, ...]
    condition: Json


def _said(status: bool, why: str, message: str) -> Json:
    return entry(AGGREGATES_UPDATED, status, why, message)


def _present(obj: Json) -> tuple[str, ...]:
    return tuple(each["name"] for each in (obj.get("status") or {}).get("aggregates") or ())


def _for_tests(obj: Json) -> tuple[str, ...]:
    return ((obj["metadata"].get("labels") or {}).get(ZONE, ""), TEST_AGGREGATE)


def _terminating(obj: Json) -> bool:
    return bool(obj["spec"].get("maintenance") == "termination")


def _onboarding(obj: Json, *reasons: str) -> bool:
    return value(obj, ONBOARDING) == "True" and reason(obj, ONBOARDING) in reasons


_CLEARED = _said(False, TERMINATING, "Aggregates cleared due to termination after eviction")
_KEPT = _said(False, "EvictionInProgress", "Aggregates unchanged while terminating and eviction in progress")
_TESTED = _said(False, "TestAggregates", "Test aggregate applied during onboarding instead of spec aggregates")
_WAITING = _said(False, "WaitingForTraits", "Waiting for traits to be applied before switching to spec aggregates")
_APPLIED = _said(True, SUCCEEDED, "Aggregates from spec applied successfully")
MEMBERSHIP: Table[Json] = Table(
    "aggregates",
    (
        Row(
            "terminated",
            lambda obj: _terminating(obj) and value(obj, EVICTING) == "False",
            answering(lambda _: Wanted((), _CLEARED)),
        ),
        Row("terminating", _terminating, answering(lambda obj: Wanted(_present(obj), _KEPT))),
        Row(
            "in tests",
            lambda obj: _onboarding(obj, "Initial", "Testing"),
            answering(lambda obj: Wanted(_for_tests(obj), _TESTED)),
        ),
        Row(
            "traits first",
            lambda obj: _onboarding(obj, HANDOVER) and value(obj, TRAITS_UPDATED) != "True",
            answering(lambda obj: Wanted(_for_tests(obj), _WAITING)),
        ),
        Row(
            "as the spec says",
            lambda _: True,
            answering(lambda obj: Wanted(tuple(obj["spec"]["aggregates"]), _APPLIED)),
        ),
    ),
)
"""Answers what a host should be a member of."""


class AggregatesController:
    """Follows Hypervisors under lifecycle management."""

    name = CONTROLLER

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Hypervisors that are managed."""
        return {HYPERVISOR: _managed}

    def reconcile(self, name: str) -> Talk[Done]:
        """Bring the memberships of one host to Nova."""
        obj = self._desk.hypervisor(name)
        status = (obj or {}).get("status") or {}
        if obj is None or not status.get("hypervisorId") or not status.get("serviceId"):
            return Done()
        wanted: Wanted = answer(self._desk.tables.of(MEMBERSHIP), obj)
        told = found(obj, AGGREGATES_UPDATED) or {}
        if sorted(wanted.names) != sorted(_present(obj)):
            return (yield from self._apply(name, wanted))
        if any(told.get(key) != text for key, text in wanted.condition.items()):
            yield from self._desk.say(CONTROLLER, name, wanted.condition)
        return Done()

    def _apply(self, name: str, wanted: Wanted) -> Talk[Done]:
        listed = yield from self._desk.session.call(aggregates())
        if listed.error:
            return (yield from self._fail(name, f"failed to list aggregates: {listed.error}"))
        known: dict[str, Json] = {each["name"]: each for each in listed.body.get("aggregates") or ()}
        missing = [each for each in wanted.names if each not in known]
        if missing:
            return (yield from self._fail(name, f"aggregates not found: [{' '.join(missing)}]"))
        problems = yield from self._change(name, wanted.names, known)
        if problems:
            return (yield from self._fail(name, "\n".join(problems)))
        shown = [
            {"name": each, "uuid": known[each]["uuid"], "metadata": known[each].get("metadata") or {}}
            for each in wanted.names
        ]
        yield from self._desk.say(CONTROLLER, name, wanted.condition, aggregates=shown)
        return Done()

    def _change(self, host: str, names: Sequence[str], known: Mapping[str, Json]) -> Talk[list[str]]:
        """New memberships first: a filter must not be missing for a moment. Returns what went wrong."""
        present = {each for each, aggregate in known.items() if host in aggregate["hosts"]}
        problems = []
        steps: list[tuple[Verb, str, str]] = [
            *(("add_host", each, "add host {} to") for each in names if each not in present),
            *(("remove_host", each, "remove host {} from") for each in sorted(present - set(names))),
        ]  # fmt: skip
        for verb, aggregate, words in steps:
            outcome = yield from self._desk.session.call(change_aggregate(known[aggregate]["id"], verb, host))
            if outcome.error:
                problems.append(f"failed to {words.format(host)} aggregate {aggregate}: {outcome.error}")
        return problems

    def _fail(self, name: str, error: str) -> Talk[Done]:
        yield from self._desk.say(CONTROLLER, name, _said(False, FAILED, f"failed to apply aggregates: {error}"))
        return Done(error=error)


def _managed(change: Change) -> Iterable[str]:
    obj: Any = change.new.obj
    return (change.new.name,) if obj["spec"].get("lifecycleEnabled") else ()
