"""Where pods are: per node what they request, kept up to date from changes instead of scans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.store import Change
from lab.scheduling.requests import requests

Json = Mapping[str, Any]
Key = tuple[str, str]
FINAL_PHASES = ("Succeeded", "Failed")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, slots=True)
class Placed:
    """A pod that occupies its node: bound, and not ended."""

    key: Key
    node: str
    requests: Mapping[str, int]
    labels: Mapping[str, str]
    anti_affinity: tuple[Json, ...]  # its required anti-affinity terms, which hold against newcomers too


class Placement:
    """Occupied capacity by node, and the keys of pods that wait for one."""

    def __init__(self, api: Api) -> None:
        self._placed: dict[Key, Placed] = {}
        self._by_node: dict[str, dict[Key, Placed]] = {}
        self._used: dict[str, dict[str, int]] = {}
        self.waiting: set[Key] = set()
        api.listen(POD, self._follow)
        for snapshot in api.store.scan(POD.key):
            self._follow(Change("ADDED", None, snapshot))

    def used(self, node: str) -> Mapping[str, int]:
        """What the pods on a node request together."""
        return self._used.get(node, {})

    def on(self, node: str) -> Iterable[Placed]:
        """The pods that occupy a node."""
        return self._by_node.get(node, {}).values()

    def _follow(self, change: Change) -> None:
        pod: Json = change.new.obj
        key = (change.new.namespace, change.new.name)
        node = pod["spec"].get("nodeName")
        ended = change.type == "DELETED" or (pod.get("status") or {}).get("phase") in FINAL_PHASES
        if ended or node:
            self.waiting.discard(key)
        elif not pod["metadata"].get("deletionTimestamp"):
            self.waiting.add(key)
        if ended or not node:
            self._forget(key)
        else:
            self._remember(key, node, pod)

    def _remember(self, key: Key, node: str, pod: Json) -> None:
        known = self._placed.get(key)
        labels = pod["metadata"].get("labels") or {}
        if known is not None and known.labels == labels:
            return
        self._forget(key)
        anti = ((pod["spec"].get("affinity") or {}).get("podAntiAffinity") or {}).get(REQUIRED) or ()
        placed = Placed(key, node, requests(pod), labels, tuple(anti))
        self._placed[key] = placed
        self._by_node.setdefault(node, {})[key] = placed
        used = self._used.setdefault(node, {})
        for name, amount in placed.requests.items():
            used[name] = used.get(name, 0) + amount

    def _forget(self, key: Key) -> None:
        placed = self._placed.pop(key, None)
        if placed is None:
            return
        del self._by_node[placed.node][key]
        used = self._used[placed.node]
        for name, amount in placed.requests.items():
            used[name] -= amount
