"""Everything that exists on a cluster, by name and UID: to see what a run has left behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from utilities.clients import LEASES, Resource, Rest
from utilities.errors import NotFound
from utilities.sharing.census import PREFIX

_PASSING = frozenset({"events", "histories"})  # made by systems for themselves, which remove them in time
_REPLACED = frozenset({"pods", "replicasets.apps", "controllerrevisions.apps"})  # made anew by what they belong to


@dataclass(frozen=True, slots=True, order=True)
class Item:
    """One object. kind: its plural with the group; namespace: "" if it has none; owner: uid of its controller or ""."""

    kind: str
    namespace: str
    name: str
    uid: str
    owner: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


def inventory(rest: Rest) -> frozenset[Item]:
    """One list of each kind that can be listed, in its group's preferred version. Raises the suite's API errors."""
    return frozenset(
        Item(str(resource), metadata.get("namespace", ""), metadata["name"], metadata["uid"], _controller(metadata))
        for resource in _listable(rest)
        for metadata in _metadata(rest, resource)
        if resource.plural != LEASES.plural or metadata["name"].startswith(PREFIX)  # others are systems' own, too
    )


def left_since(before: frozenset[Item], now: frozenset[Item]) -> list[Item]:
    """What is there now and was not before, sorted.

    The new pod of a Deployment that was there before is left out: it stands in for the one that was restarted.
    """
    known = {item.uid for item in before}
    return sorted(item for item in now - before if not (item.kind in _REPLACED and item.owner in known))


def _controller(metadata: dict[str, Any]) -> str:
    owners = metadata.get("ownerReferences") or ()
    return next((str(owner["uid"]) for owner in owners if owner.get("controller")), "")


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
