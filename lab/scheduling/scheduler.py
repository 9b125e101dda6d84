"""The scheduler: binds each pod to the emptiest node that fits, or says why none does, and looks again."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller, Object
from lab.apiserver.api import Api
from lab.apiserver.binding import bind
from lab.apiserver.builtin.kinds import NODE, POD
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.answers import answer
from lab.controllers.decisions import Faults, Row, Table, decide, hold
from lab.controllers.effects import Effect, Patch, Ref, perform
from lab.controllers.events import Emit
from lab.controllers.runtime import Key, Mapper, same_object
from lab.scheduling.delays import Delays
from lab.scheduling.filters import FILTER, HOSTNAME, Candidate, Verdict, explain
from lab.scheduling.placement import FINAL_PHASES, Placed, Placement
from lab.scheduling.requests import amounts, requests

Json = Mapping[str, Any]
CALLER = Caller("system:kube-scheduler", ("system:masters",), "kube-scheduler")
_COUNTED = ("cpu", "memory")  # of which a node is full
ENOUGH = 100
"""Nodes that fit, among which the emptiest is taken; no more are looked for (kube-scheduler: minFeasibleNodes)."""


@dataclass(frozen=True, slots=True)
class Unbound:
    """A pod without a node, what was found for it, and what its condition says now."""

    pod: Json
    node: str | None
    why: str  # sentence about why no node fits, "" if one does
    said: str  # message of the present PodScheduled condition
    now: str
    not_before: float


def _ref(pod: Json) -> Ref:
    return Ref(POD, pod["metadata"]["namespace"], pod["metadata"]["name"])


def _conditions(pod: Json, new: Mapping[str, Any]) -> list[Json]:
    old = [entry for entry in (pod.get("status") or {}).get("conditions") or () if entry["type"] != new["type"]]
    return [*old, new]


@dataclass(frozen=True, slots=True)
class Bind:
    """Give a pod its node."""

    namespace: str
    name: str
    node: str

    def apply(self, api: Api, caller: Caller) -> None:
        """Post the binding; raises ApiError when the pod is gone, going or bound."""
        target = {"apiVersion": "v1", "kind": "Node", "name": self.node}
        bind(api, self.namespace, self.name, {"metadata": {"name": self.name}, "target": target}, caller=caller)


def _bind(found: Unbound) -> Sequence[Effect]:
    name, namespace = found.pod["metadata"]["name"], found.pod["metadata"]["namespace"]
    text = f"Successfully assigned {namespace}/{name} to {found.node}"
    return (
        Bind(namespace, name, found.node or ""),
        Emit(found.pod, "Normal", "Scheduled", text, "default-scheduler"),
    )


def _explain(found: Unbound) -> Sequence[Effect]:
    refused = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": found.why,
        "lastProbeTime": None,
        "lastTransitionTime": found.now,
    }
    return (
        Patch(_ref(found.pod), {"status": {"conditions": _conditions(found.pod, refused)}}, subresource="status"),
        Emit(found.pod, "Warning", "FailedScheduling", found.why, "default-scheduler"),
    )


SCHEDULE: Table[Unbound] = Table(
    "scheduler",
    (
        Row("bind", lambda found: found.node is not None, _bind),
        Row("nothing fits, as said before", lambda found: found.why == found.said, hold),
        Row("nothing fits", lambda found: found.node is None, _explain),
    ),
    since=lambda found: found.not_before,
)


class Scheduler:
    """One pod a reconcile; pods that found no node are looked at again when a node changes or a pod ends."""

    name = "kube-scheduler"

    def __init__(self, api: Api, placement: Placement, delays: Delays, faults: Faults) -> None:
        self._api = api
        self._placement = placement
        self._delays = delays
        self._schedule = faults.ahead_of(SCHEDULE)
        self._filter = faults.ahead_of(FILTER)
        self._seen: dict[str, float] = {}
        self._first = 0  # where to begin: on after the last node looked at, so that all get their turn
        self._allocatable: dict[str, tuple[Json, Mapping[str, int]]] = {}
        self._nodes: list[Object] = []  # as of the last change of any, empty: to be read again
        api.listen(NODE, lambda _: self._nodes.clear())

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Pods, and nodes for the sake of pods that wait."""
        return {POD: self._pod_keys, NODE: lambda _: tuple(self._placement.waiting)}

    def reconcile(self, key: Key) -> float | None:
        """Find a node for one pod."""
        pod = self._api.find(POD, *key)
        if pod is None or not _wants_node(pod):
            return None
        now = self._api.clock.now()
        uid = pod["metadata"]["uid"]
        since = self._seen.setdefault(uid, now + self._delays.of("schedule", uid))
        if now < since:
            return since
        decision = decide(self._schedule, self._look(pod, since), now)
        perform(decision.effects, self._api, CALLER)
        if decision.row == "bind":
            del self._seen[uid]
        return decision.wake_at

    def _pod_keys(self, change: Change) -> Iterable[Key]:
        status = change.new.obj.get("status")
        phase = status.get("phase") if isinstance(status, Mapping) else None
        freed = change.type == "DELETED" or phase in FINAL_PHASES
        return tuple(self._placement.waiting) if freed else same_object(change)

    def _look(self, pod: Json, since: float) -> Unbound:
        wanted = {name: amount for name, amount in requests(pod).items() if amount}
        verdicts: list[Verdict] = []
        fitting: list[tuple[float, str]] = []
        nodes = self._nodes = self._nodes or self._api.list(NODE)
        for node in itertools.chain(nodes[self._first :], nodes[: self._first]):
            name = node["metadata"]["name"]
            offered, used = self._offered_by(node), self._placement.used(name)
            near = functools.partial(_near, self._placement, nodes, node)
            verdict: Verdict = answer(self._filter, Candidate(pod, node, wanted, offered, used, near))
            verdicts.append(verdict)
            if not verdict.reasons:
                fitting.append((_fullness(offered, used), name))
                if len(fitting) == ENOUGH:
                    break
        if len(nodes) > ENOUGH:
            self._first = (self._first + len(verdicts)) % len(nodes)
        said = next(
            (
                entry.get("message", "")
                for entry in (pod.get("status") or {}).get("conditions") or ()
                if entry["type"] == "PodScheduled" and entry["status"] == "False"
            ),
            "",
        )
        chosen = min(fitting)[1] if fitting else None
        why = "" if fitting else explain(verdicts)
        return Unbound(pod, chosen, why, said, self._api.clock.stamp(), since)

    def _offered_by(self, node: Json) -> Mapping[str, int]:
        """Its allocatable resources as whole units, read once per change of them."""
        stated = (node.get("status") or {}).get("allocatable") or {}
        name = node["metadata"]["name"]
        known = self._allocatable.get(name)
        if known is None or (known[0] is not stated and known[0] != stated):
            known = self._allocatable[name] = (stated, amounts(stated))
        return known[1]


def _near(placement: Placement, nodes: Sequence[Json], node: Json, topology: str) -> tuple[Placed, ...]:
    domain = (node["metadata"].get("labels") or {}).get(topology)
    if topology == HOSTNAME:
        return tuple(placement.on(node["metadata"]["name"]))
    return tuple(
        placed
        for other in nodes
        if domain is not None and (other["metadata"].get("labels") or {}).get(topology) == domain
        for placed in placement.on(other["metadata"]["name"])
    )


def _wants_node(pod: Json) -> bool:
    spec = pod["spec"]
    ended = (pod.get("status") or {}).get("phase") in FINAL_PHASES or pod["metadata"].get("deletionTimestamp")
    return (
        not ended and not spec.get("nodeName") and spec.get("schedulerName", "default-scheduler") == "default-scheduler"
    )


def _fullness(offered: Mapping[str, int], used: Mapping[str, int]) -> float:
    shares = [1 - (offered[name] - used.get(name, 0)) / offered[name] for name in _COUNTED if offered.get(name)]
    return round(sum(shares) / len(shares), 6) if shares else 0.0
