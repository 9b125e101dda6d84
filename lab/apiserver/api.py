"""The verbs of the API, for the HTTPS front and the lab's controllers alike: each write is one critical section."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Literal

from lab.apiserver import deletion
from lab.apiserver.admission import SYSTEM, Admission, Caller, Object, Operation, Review
from lab.apiserver.errors import already_exists, conflict, not_found
from lab.apiserver.lists import EVERY, ListOptions, Page, list_page
from lab.apiserver.options import DeleteOptions, WriteOptions
from lab.apiserver.resources import Catalogue, Resource
from lab.apiserver.store import Change, Store
from lab.apiserver.strategies import Strategies
from lab.apiserver.watches import FROM_START, OpenWatches, Watch, WatchOptions
from lab.clock import Clock

PatchType = Literal["json", "merge", "strategic", "apply"]
_SUFFIX = "bcdfghjklmnpqrstvwxz2456789"


class Api:
    """Objects that come out are shared with the store: read them, never change them in place."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        catalogue: Catalogue,
        admission: Admission,
        strategies: Strategies,
        rng: random.Random,
    ) -> None:
        self.store = store
        self.clock = clock
        self.catalogue = catalogue
        self.admission = admission
        self.strategies = strategies
        self.watches = OpenWatches()
        self._rng = rng

    def find(self, resource: Resource, namespace: str, name: str) -> Object | None:
        """The object, None if it is not there. Cluster-scoped kinds: namespace ""."""
        snapshot = self.store.get(resource.key, namespace, name)
        return None if snapshot is None else dict(snapshot.obj)

    def get(self, resource: Resource, namespace: str, name: str) -> Object:
        """The object; raises ApiError 404."""
        found = self.find(resource, namespace, name)
        if found is None:
            raise not_found(resource, name)
        return found

    def list(
        self, resource: Resource, namespace: str | None = None, *, labels: str = "", fields: str = ""
    ) -> list[Object]:
        """Objects ordered by namespace and name; None: all namespaces. `labels` and `fields` are selectors."""
        return self.page(resource, namespace, ListOptions(labels, fields)).objects()

    def page(self, resource: Resource, namespace: str | None = None, options: ListOptions = EVERY) -> Page:
        """A list as a client asks for it; raises ApiError 400, 410, 422, 504."""
        return list_page(self.store, resource, namespace, options)

    def list_raw(self, resource: Resource, namespace: str | None = None, options: ListOptions = EVERY) -> bytes:
        """As `page`, as the JSON of the list: stored bytes joined, nothing encoded again."""
        return self.page(resource, namespace, options).raw()

    def watch(self, resource: Resource, namespace: str | None = None, options: WatchOptions = FROM_START) -> Watch:
        """Follow a kind as a client does; raises ApiError 400, 410, 422, 504. Whoever opens it closes it."""
        return self.watches.add(Watch(self.store, resource, namespace, options))

    def listen(self, resource: Resource, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Follow the changes of a kind; returns the way to stop."""
        return self.store.listen(resource.key, listener)

    def create(
        self,
        resource: Resource,
        obj: Mapping[str, Any],
        *,
        caller: Caller = SYSTEM,
        options: WriteOptions = WriteOptions(),
    ) -> Object:
        """Create the object (namespace and name from its metadata); returns it as stored."""
        metadata = dict(obj.get("metadata") or {})
        if not metadata.get("name"):
            suffix = "".join(self._rng.choice(_SUFFIX) for _ in range(5))
            metadata["name"] = metadata["generateName"][:58] + suffix
        namespace = metadata.get("namespace", "") if resource.namespaced else ""
        if self.find(resource, namespace, metadata["name"]) is not None:
            raise already_exists(resource, metadata["name"])
        metadata["uid"] = str(uuid.UUID(int=self._rng.getrandbits(128), version=4))
        metadata["creationTimestamp"] = self.clock.stamp()
        if resource.generation:
            metadata["generation"] = 1
        new: Object = {**obj, "apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata}
        if "status" in resource.subresources:
            new.pop("status", None)
        new = self._admit("CREATE", resource, "", new, None, caller, options)
        return new if options.dry_run else dict(self.store.put(resource.key, new).obj)

    def update(
        self,
        resource: Resource,
        obj: Mapping[str, Any],
        *,
        subresource: str = "",
        caller: Caller = SYSTEM,
        options: WriteOptions = WriteOptions(),
    ) -> Object:
        """Replace the object (or its status); raises 409 when its resourceVersion is stale."""
        metadata = obj["metadata"]
        old = self.get(resource, metadata.get("namespace", "") if resource.namespaced else "", metadata["name"])
        wanted = metadata.get("resourceVersion")
        if wanted and wanted != old["metadata"]["resourceVersion"]:
            raise conflict(resource, metadata["name"])
        if subresource == "status":
            new = {**old, "status": obj.get("status", {})}
        else:
            new = {**obj}
            if "status" in resource.subresources:
                new.pop("status", None)
                if "status" in old:
                    new["status"] = old["status"]
        fixed = {key: old["metadata"][key] for key in ("uid", "creationTimestamp", "resourceVersion")}
        kept = metadata if subresource == "" else old["metadata"]
        new["metadata"] = {**kept, **fixed}
        if resource.generation:
            spec_changed = {**old, "metadata": 0, "status": 0} != {**new, "metadata": 0, "status": 0}
            new["metadata"]["generation"] = old["metadata"].get("generation", 1) + spec_changed
        new = self._admit("UPDATE", resource, subresource, new, old, caller, options)
        if new == old or options.dry_run:
            return new
        if deletion.is_due(resource, new):
            return dict(
                self.store.remove(resource.key, new["metadata"].get("namespace", ""), metadata["name"], new).obj
            )
        return dict(self.store.put(resource.key, new).obj)

    def patch(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        body: Any,
        *,
        type: PatchType = "merge",  # noqa: A002  the field's own word
        subresource: str = "",
        caller: Caller = SYSTEM,
        options: WriteOptions = WriteOptions(),
    ) -> Object:
        """Change the latest state by a patch; with metadata.resourceVersion in it, raises 409 when that is stale."""
        if type != "merge":
            raise NotImplementedError(type)
        old = self.get(resource, namespace, name)
        return self.update(resource, merged(old, body), subresource=subresource, caller=caller, options=options)

    def delete(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        *,
        options: DeleteOptions = DeleteOptions(),
        caller: Caller = SYSTEM,
    ) -> Object:
        """Delete the object, or mark it while finalizers hold it; returns its last or present state."""
        return deletion.delete(self, resource, namespace, name, options=options, caller=caller)

    def _admit(
        self,
        operation: Operation,
        resource: Resource,
        subresource: str,
        new: Object,
        old: Object | None,
        caller: Caller,
        options: WriteOptions,
    ) -> Object:
        new = self.admission.mutate(Review(operation, resource, subresource, new, old, caller, options.dry_run))
        self.admission.validate(Review(operation, resource, subresource, new, old, caller, options.dry_run))
        return new


def merged(target: Any, patch: Any) -> Any:
    """RFC 7386: null deletes, objects merge, everything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result
