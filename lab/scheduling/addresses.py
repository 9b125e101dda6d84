"""Addresses of nodes and pods."""

from __future__ import annotations

from collections.abc import Iterable


class Addresses:
    """Node addresses 192.168.40.x; every pod gets a fresh address in its node's /16, never used twice."""

    def __init__(self, nodes: Iterable[str]) -> None:
        self._index = {name: number for number, name in enumerate(nodes)}
        self._next: dict[str, int] = {}
        self._by_pod: dict[str, str] = {}

    def node(self, name: str) -> str:
        """Internal address of a node."""
        return f"192.168.{40 + self._index[name] // 200}.{10 + self._index[name] % 200}"

    def pod(self, pod_uid: str, node: str) -> str:
        """Address of a pod, given on first use."""
        if pod_uid not in self._by_pod:
            number = self._next[node] = self._next.get(node, 1) + 1
            bank, place = divmod(self._index[node], 100)
            self._by_pod[pod_uid] = f"{10 + bank}.{128 + place}.{number // 256}.{number % 256}"
        return self._by_pod[pod_uid]
