"""Everything that exists on a cluster, by name and UID: to see what a run has left behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from utilities.clients import Resource, Rest
from utilities.errors import NotFound

_PASSING = frozenset({"events", "leases"})  # made and renewed by the cluster itself, and gone by themselves


@dataclass(frozen=True, slots=True, order=True)
class Item:
    """One object. kind: its plural with the group; namespace: "" if it has none."""

    kind: str
    namespace: str
    name: str
    uid: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


def inventory(rest: Rest) -> frozenset[Item]:
    """One list of each kind that can be listed, in its group's preferred version. Raises the suite's API errors."""
    return frozenset(
        Item(str(resource), metadata.get("namespace", ""), metadata["name"], metadata["uid"])
        for resource in _listable(rest)
        for metadata in _metadata(rest, resource)
    )


def _metadata(rest: Rest, resource: Resource) -> list[dict[str, Any]]:
    try:
        return [item["metadata"] for item in rest.list(resource)["items"]]
    except NotFound:
        return []  # a custom kind that is gone since it was discovered


def _listable(rest: Rest) -> Iterator[Resource]:
    preferred = [group["preferredVersion"]["groupVersion"] for group in rest.call("GET", "/apis")["groups"]]
    for version in ("v1", *preferred):
        group, _, number = version.rpartition("/")
        root = f"/apis/{version}" if group else f"/api/{version}"
        for served in rest.call("GET", root)["resources"]:
            if "list" in served["verbs"] and "/" not in served["name"] and served["name"] not in _PASSING:
                yield Resource(group, number, served["name"], served["kind"], served["namespaced"])
