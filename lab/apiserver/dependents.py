"""Who names whom as owner: an index of all objects by the uids in their ownerReferences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.store import Change, Snapshot, StoreKey


@dataclass(frozen=True, slots=True, order=True)
class Item:
    """One object of any kind."""

    key: StoreKey
    namespace: str
    name: str


class Dependents:
    """Items by the uid of each owner they name. Fed with every change, of every kind."""

    def __init__(self) -> None:
        self._by_owner: dict[str, set[Item]] = {}

    def of(self, uid: str) -> list[Item]:
        """The items that name this owner, in a stable order."""
        return sorted(self._by_owner.get(uid, ()))

    def follow(self, change: Change) -> None:
        """Take one change into the index."""
        item = item_of(change.new)
        before = set() if change.old is None else _uids(change.old)
        after = set() if change.type == "DELETED" else _uids(change.new)
        for uid in before - after:
            items = self._by_owner.get(uid, set())
            items.discard(item)
            if not items:
                self._by_owner.pop(uid, None)
        for uid in after - before:
            self._by_owner.setdefault(uid, set()).add(item)


def item_of(snapshot: Snapshot) -> Item:
    """The item a snapshot is a state of."""
    return Item(snapshot.key, snapshot.namespace, snapshot.name)


def metadata_of(snapshot: Snapshot) -> dict[str, Any]:
    """The metadata of a snapshot; read it only."""
    metadata: Any = snapshot.obj["metadata"]
    found: dict[str, Any] = metadata
    return found


def owners_of(snapshot: Snapshot) -> Sequence[Mapping[str, Any]]:
    """The ownerReferences of a snapshot."""
    return metadata_of(snapshot).get("ownerReferences") or ()


def _uids(snapshot: Snapshot) -> set[str]:
    return {str(owner["uid"]) for owner in owners_of(snapshot)}
