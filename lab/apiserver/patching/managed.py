"""`metadata.managedFields`: which manager owns which fields (kubernetes-api sheet §4.5).

Every create, update and patch is tracked per leaf, also those of the lab's own controllers: merge patches share what
they leave alone with the stored object, so that finding the changed leaves costs no more than the patch itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.patching.fieldsets import Tree, differences, subtract, tracked, union
from lab.apiserver.patching.shape import Shape

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Manager:
    """Who writes, in which version and through which subresource; `stamp` is now, as Kubernetes writes times."""

    name: str
    api_version: str
    subresource: str
    stamp: str

    def entry(self, operation: str, fields: Tree) -> Entry:
        """A managedFields entry of this manager."""
        body: dict[str, Any] = {
            "manager": self.name,
            "operation": operation,
            "apiVersion": self.api_version,
            "time": self.stamp,
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        }
        return {**body, "subresource": self.subresource} if self.subresource else body


def record_update(
    shape: Shape, entries: Sequence[Entry], old: Mapping[str, Any], new: Mapping[str, Any], manager: Manager
) -> Sequence[Entry]:
    """Entries after an update: the manager owns what it changed, and nobody else does; `entries` if nothing changed."""
    changed, removed = differences(shape, tracked(old), tracked(new))
    if changed is None and removed is None:
        return entries
    touched = union(changed or {}, removed or {})
    result: list[Entry] = []
    own: Tree = {}
    for entry in entries:
        if _is_update_of(entry, manager):
            own = fields_of(entry)
        else:
            result.extend(without(entry, touched))
    own = union(subtract(own, removed or {}), changed or {})
    return ordered([*result, manager.entry("Update", own)] if own else result)


def without(entry: Entry, fields: Tree) -> Sequence[Entry]:
    """The entry without some fields; nothing when it owns no more."""
    owned = fields_of(entry)
    left = subtract(owned, fields)
    if left is owned:
        return (entry,)
    return ({**entry, "fieldsV1": left},) if left else ()


def fields_of(entry: Entry) -> Tree:
    """The fields an entry owns."""
    fields: Tree = entry.get("fieldsV1") or {}
    return fields


def ordered(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Entries as servers list them: Apply before Update, then by time, then by manager."""
    return sorted(entries, key=_rank)


def sent(present: Sequence[Entry], given: object) -> Sequence[Entry]:
    """The entries to start from when a client sent some: one empty entry clears, an empty or broken list means nothing.

    Source: "Clearing managedFields" in the Kubernetes documentation of server-side apply.
    """
    if given is present or not isinstance(given, list):
        return present
    if given == [{}]:
        return ()
    return given if given and all(_is_sound(entry) for entry in given) else present


def _is_sound(entry: object) -> bool:
    return (
        isinstance(entry, Mapping)
        and entry.get("operation") in ("Apply", "Update")
        and isinstance(entry.get("fieldsV1"), Mapping)
        and entry.get("fieldsType") == "FieldsV1"
        and isinstance(entry.get("apiVersion"), str)
    )


def _is_update_of(entry: Entry, manager: Manager) -> bool:
    return (
        entry.get("manager") == manager.name
        and entry["operation"] == "Update"
        and entry["apiVersion"] == manager.api_version
        and entry.get("subresource", "") == manager.subresource
    )


def _rank(entry: Entry) -> tuple[str, ...]:
    names = ("operation", "time", "manager", "subresource", "apiVersion")
    return tuple(str(entry.get(name) or "") for name in names)
