"""Indexes that controllers keep over objects, fed by the store's changes: look-ups instead of scans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change

Json = Mapping[str, Any]
KeysOf = Callable[[Json], Iterable[str]]


class Index:
    """Objects of one kind by keys computed from each (a label, an owner's UID, a node name)."""

    def __init__(self, api: Api, resource: Resource, keys_of: KeysOf) -> None:
        self._keys_of = keys_of
        self._objects: dict[str, dict[tuple[str, str], Json]] = {}
        self._keys: dict[tuple[str, str], tuple[str, ...]] = {}
        api.listen(resource, self._follow)
        for snapshot in api.store.scan(resource.key):
            self._follow(Change("ADDED", None, snapshot))

    def of(self, key: str) -> list[Json]:
        """The objects under a key, ordered by namespace and name. Shared with the store: never change them."""
        found = self._objects.get(key)
        return [] if not found else [found[name] for name in sorted(found)]

    def _follow(self, change: Change) -> None:
        name = (change.new.namespace, change.new.name)
        for key in self._keys.pop(name, ()):
            entries = self._objects[key]
            del entries[name]
            if not entries:
                del self._objects[key]
        if change.type == "DELETED":
            return
        keys = tuple(dict.fromkeys(self._keys_of(change.new.obj)))
        for key in keys:
            self._objects.setdefault(key, {})[name] = change.new.obj
        self._keys[name] = keys


def by_controller(obj: Json) -> Iterable[str]:
    """UID of the owner that controls the object."""
    owners = obj["metadata"].get("ownerReferences") or ()
    return (str(owner["uid"]) for owner in owners if owner.get("controller"))


def by_label(name: str) -> KeysOf:
    """Value of a label."""
    return lambda obj: (value,) if (value := (obj["metadata"].get("labels") or {}).get(name)) else ()
