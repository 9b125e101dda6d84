"""Garbage collection by ownerReferences, as the controller manager does it (kubernetes-api sheet §2.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lab.apiserver.admission import Object
from lab.apiserver.api import Api
from lab.apiserver.builtin.callers import GARBAGE_COLLECTOR
from lab.apiserver.builtin.kinds import EVENT
from lab.apiserver.deletion import FOREGROUND, ORPHAN, commit
from lab.apiserver.dependents import Dependents, Item, item_of, metadata_of, owners_of
from lab.apiserver.errors import ApiError
from lab.apiserver.options import DeleteOptions
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change, Snapshot
from lab.controllers.runtime import Key, Mapper, Runtime

Owner = Mapping[str, Any]  # one ownerReference
Verdict = Literal["alive", "waiting", "gone"]
_CHANGED_MEANWHILE = (404, 409)


@dataclass(slots=True)
class GarbageCollector:
    """Deletes objects whose owners are all gone; carries out foreground and orphaning deletions."""

    api: Api
    name: str = "garbage-collector"
    watches: Mapping[Resource, Mapper] = field(default_factory=dict)  # it follows every kind, see `start`
    _dependents: Dependents = field(default_factory=Dependents)
    _poke: Callable[[Key], None] = lambda _: None

    def start(self, runtime: Runtime) -> None:
        """Look at everything there is, and follow every kind from now on."""
        runtime.add(self)
        self._poke = lambda key: runtime.poke(self, key)
        self.api.store.listen_to_all(self._follow)
        for key in tuple(self.api.store.keys()):
            for snapshot in self.api.store.scan(key):
                self._follow(Change("ADDED", None, snapshot))

    def reconcile(self, key: Key) -> float | None:
        """Carry out what the state of one object and its owners asks for."""
        group, _, plural = key[0].partition("/")
        namespace, _, name = key[1].partition("/")
        snapshot = self.api.store.get((group, plural), namespace, name)
        resource = None if snapshot is None else self._resource(snapshot)
        if snapshot is None or resource is None:
            return None
        metadata = metadata_of(snapshot)
        finalizers = metadata.get("finalizers") or ()
        if not metadata.get("deletionTimestamp"):
            self._judge(resource, snapshot)
        elif FOREGROUND in finalizers:
            self._wait_for_dependents(resource, snapshot)
        elif ORPHAN in finalizers:
            self._orphan(resource, snapshot)
        return None

    def _follow(self, change: Change) -> None:
        self._dependents.follow(change)
        before = () if change.old is None else owners_of(change.old)
        owners_changed = owners_of(change.new) != before
        if change.type == "DELETED":
            for item in self._dependents.of(metadata_of(change.new)["uid"]):
                self._look_at(item)
        elif owners_changed or _is_held(change.new):
            self._look_at(item_of(change.new))
        if change.type == "DELETED" or owners_changed:
            for owner in before:
                found = self._owner(owner, change.new)
                if found is not None and _waits(found):
                    self._look_at(item_of(found))

    def _look_at(self, item: Item) -> None:
        self._poke((f"{item.key[0]}/{item.key[1]}", f"{item.namespace}/{item.name}"))

    def _judge(self, resource: Resource, snapshot: Snapshot) -> None:
        owners = owners_of(snapshot)
        if not owners or snapshot.key == EVENT.key:
            return
        verdicts = [self._verdict(owner, snapshot) for owner in owners]
        if "alive" in verdicts:
            kept = [owner for owner, verdict in zip(owners, verdicts, strict=True) if verdict == "alive"]
            if len(kept) < len(owners):
                commit(self.api, resource, _with(snapshot, "ownerReferences", kept))
            return
        metadata = metadata_of(snapshot)
        foreground = "waiting" in verdicts and bool(self._dependents.of(metadata["uid"]))
        options = DeleteOptions(
            propagation="Foreground" if foreground else _present_policy(metadata), precondition_uid=metadata["uid"]
        )
        try:
            self.api.delete(resource, snapshot.namespace, snapshot.name, options=options, caller=GARBAGE_COLLECTOR)
        except ApiError as error:
            if error.code not in _CHANGED_MEANWHILE:
                raise

    def _verdict(self, owner: Owner, dependent: Snapshot) -> Verdict:
        """`alive` also if nobody can judge: a kind not served, a namespaced owner of a cluster-wide object."""
        resource = self._kind(owner)
        if resource is None or (resource.namespaced and not dependent.namespace):
            return "alive"
        found = self._owner(owner, dependent)
        if found is None:
            return "gone"
        return "waiting" if _waits(found) and owner.get("blockOwnerDeletion") else "alive"

    def _wait_for_dependents(self, resource: Resource, snapshot: Snapshot) -> None:
        blocking = list(self._blocking(snapshot))
        for item in blocking:
            self._look_at(item)
        if not blocking:
            left = [name for name in metadata_of(snapshot)["finalizers"] if name != FOREGROUND]
            commit(self.api, resource, _with(snapshot, "finalizers", left))

    def _blocking(self, owner: Snapshot) -> Iterator[Item]:
        uid = metadata_of(owner)["uid"]
        for item in self._dependents.of(uid):
            dependent = self.api.store.get(item.key, item.namespace, item.name)
            if dependent and any(ref["uid"] == uid and ref.get("blockOwnerDeletion") for ref in owners_of(dependent)):
                yield item

    def _orphan(self, resource: Resource, snapshot: Snapshot) -> None:
        uid = metadata_of(snapshot)["uid"]
        for item in self._dependents.of(uid):
            dependent = self.api.store.get(item.key, item.namespace, item.name)
            kind = None if dependent is None else self._resource(dependent)
            if dependent is not None and kind is not None:
                kept = [owner for owner in owners_of(dependent) if owner["uid"] != uid]
                commit(self.api, kind, _with(dependent, "ownerReferences", kept))
        left = [name for name in metadata_of(snapshot)["finalizers"] if name != ORPHAN]
        commit(self.api, resource, _with(snapshot, "finalizers", left))

    def _owner(self, owner: Owner, dependent: Snapshot) -> Snapshot | None:
        resource = self._kind(owner)
        if resource is None:
            return None
        namespace = dependent.namespace if resource.namespaced else ""
        found = self.api.store.get(resource.key, namespace, str(owner["name"]))
        return found if found is not None and metadata_of(found)["uid"] == owner["uid"] else None

    def _kind(self, owner: Owner) -> Resource | None:
        """The kind an ownerReference names, in whatever version it is served; `/v1` counts as `v1` (trap T14)."""
        group = str(owner["apiVersion"]).rpartition("/")[0]
        return next((kind for kind in self.api.catalogue.in_group(group) if kind.kind == owner["kind"]), None)

    def _resource(self, snapshot: Snapshot) -> Resource | None:
        return next((kind for kind in self.api.catalogue if kind.key == snapshot.key), None)


def _waits(owner: Snapshot) -> bool:
    """True for an owner that is deleted in the foreground."""
    metadata = metadata_of(owner)
    return bool(metadata.get("deletionTimestamp")) and FOREGROUND in (metadata.get("finalizers") or ())


def _is_held(snapshot: Snapshot) -> bool:
    """True for an object under deletion that the collector itself holds."""
    metadata = metadata_of(snapshot)
    held = {FOREGROUND, ORPHAN} & set(metadata.get("finalizers") or ())
    return bool(held) and bool(metadata.get("deletionTimestamp"))


def _present_policy(metadata: Mapping[str, Any]) -> str:
    finalizers = metadata.get("finalizers") or ()
    return "Orphan" if ORPHAN in finalizers else "Foreground" if FOREGROUND in finalizers else "Background"


def _with(snapshot: Snapshot, field_name: str, values: list[Any]) -> Object:
    """The object with a list of its metadata replaced; an empty list is left out."""
    metadata = {key: value for key, value in metadata_of(snapshot).items() if key != field_name}
    return {**snapshot.obj, "metadata": {**metadata, field_name: values} if values else metadata}
