"""The verbs of the API, for the HTTPS front and the lab's controllers alike: each write is one critical section."""

from __future__ import annotations

import builtins
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import orjson

from lab.apiserver import deletion, scale, versions
from lab.apiserver.admission import SYSTEM, Admission, Caller, Object
from lab.apiserver.bodies import typed
from lab.apiserver.errors import ApiError, not_found
from lab.apiserver.identity import wrong_uid
from lab.apiserver.lists import EVERY, ListOptions, Page, list_page
from lab.apiserver.lookups import keep_lookups
from lab.apiserver.options import DeleteOptions, WriteOptions
from lab.apiserver.patches import Patches, PatchType
from lab.apiserver.replies import Reply
from lab.apiserver.requests import WriteRequest
from lab.apiserver.resources import Catalogue, Resource
from lab.apiserver.scale import SCALE
from lab.apiserver.selectors import parse_selector
from lab.apiserver.store import Change, Store
from lab.apiserver.strategies import Strategies
from lab.apiserver.strictness import refuse_unknown_mode
from lab.apiserver.watches import FROM_START, OpenWatches, Watch, WatchOptions
from lab.apiserver.writes import Writes
from lab.clock import Clock

__all__ = ["Api", "DeleteOptions", "PatchType", "WriteOptions"]
NamespaceCheck = Callable[["Api", Resource, str, str], None]
_WRITABLE = ("status", "scale")


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
        *,
        check_namespace: NamespaceCheck | None = None,
    ) -> None:
        """check_namespace: called as `check(api, resource, namespace, name)` before a create; raises to refuse it."""
        self.store = store
        keep_lookups(store)
        self.clock = clock
        self.catalogue = catalogue
        self.admission = admission
        self.strategies = strategies
        self.rng = rng
        self.check_namespace = check_namespace
        self.watches = OpenWatches()
        self._writes = Writes(self)
        self._patches = Patches(self, self._writes)

    def find(self, resource: Resource, namespace: str, name: str) -> Object | None:
        """The object, None if it is not there. Cluster-scoped kinds: namespace ""."""
        snapshot = self.store.get(resource.key, namespace, name)
        return None if snapshot is None else versions.outward(resource, snapshot.obj)

    def get(self, resource: Resource, namespace: str, name: str, *, subresource: str = "") -> Object:
        """The object, or its Scale; raises ApiError 404."""
        _refuse_subresource(resource, subresource)
        found = self.find(resource, namespace, name)
        if found is None:
            raise not_found(resource, name)
        return scale.view(resource, found) if subresource == "scale" else found

    def get_raw(self, resource: Resource, namespace: str, name: str) -> bytes:
        """The object as JSON, from its stored bytes; raises ApiError 404."""
        snapshot = self.store.get(resource.key, namespace, name)
        if snapshot is None:
            raise not_found(resource, name)
        return versions.raw(resource, snapshot)

    def list(
        self, resource: Resource, namespace: str | None = None, *, labels: str = "", fields: str = ""
    ) -> builtins.list[Object]:
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
        reply: Reply | None = None,
    ) -> Object:
        """Create the object (namespace and name from its metadata); returns it as stored.

        Raises ApiError 400, 403, 404 (namespace), 409, 422.
        """
        refuse_unknown_mode("CreateOptions", options.field_validation)
        request = WriteRequest(resource, caller, options, reply=reply)
        return self._writes.create(request, typed(resource, _plain(obj)))

    def update(
        self,
        resource: Resource,
        obj: Mapping[str, Any],
        *,
        subresource: str = "",
        caller: Caller = SYSTEM,
        options: WriteOptions = WriteOptions(),
        reply: Reply | None = None,
    ) -> Object:
        """Replace the object, its status, or its scale; raises 409 when its resourceVersion is stale.

        Kinds that may be created so (Lease, Event, RBAC) are created when missing; else 404.
        """
        refuse_unknown_mode("UpdateOptions", options.field_validation)
        _refuse_subresource(resource, subresource)
        body = typed(SCALE if subresource == "scale" else resource, _plain(obj))
        metadata = body.get("metadata") or {}
        name, namespace = metadata.get("name", ""), metadata.get("namespace", "") if resource.namespaced else ""
        snapshot = self.store.get(resource.key, namespace, name)
        request = WriteRequest(resource, caller, options, subresource, reply)
        if snapshot is None:
            return self._create_by_update(request, body, name)
        old = versions.outward(resource, snapshot.obj)
        if subresource == "scale":
            return self._patches.rescale(replace(request, patching=True), snapshot, old, body)
        return self._writes.replace(request, snapshot, old, body)

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
        reply: Reply | None = None,
    ) -> Object:
        """Change the latest state by a patch; with metadata.resourceVersion in it, raises 409 when that is stale.

        An apply is made by `caller.manager` (422 if empty), and creates the object when it is missing.
        """
        refuse_unknown_mode("PatchOptions", options.field_validation)
        _refuse_subresource(resource, subresource)
        request = WriteRequest(resource, caller, options, subresource, reply, patching=True)
        return self._patches.patch(request, namespace, name, body, type)

    def delete(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        *,
        options: DeleteOptions = DeleteOptions(),
        caller: Caller = SYSTEM,
    ) -> Object:
        """Delete the object, or mark it while finalizers or grace hold it; returns its last or present state."""
        last = deletion.delete(self, resource, namespace, name, options=options, caller=caller)
        return versions.outward(resource, last)

    def delete_collection(
        self,
        resource: Resource,
        namespace: str | None = None,
        *,
        labels: str = "",
        fields: str = "",
        options: DeleteOptions = DeleteOptions(),
        caller: Caller = SYSTEM,
    ) -> builtins.list[Object]:
        """Delete every selected object (None: in all namespaces), each as a single delete; returns them."""
        matches = parse_selector(resource, labels, fields).matches
        gone = deletion.delete_collection(self, resource, namespace, matches, options=options, caller=caller)
        return [versions.outward(resource, last) for last in gone]

    def _create_by_update(self, request: WriteRequest, body: Object, name: str) -> Object:
        resource = request.resource
        if not resource.create_on_update or request.subresource:
            raise not_found(resource, name)
        metadata = dict(body.get("metadata") or {})
        if metadata.get("uid"):
            raise wrong_uid(resource, name, metadata["uid"], "")
        metadata.pop("resourceVersion", None)
        created = self._writes.create(request, {**body, "metadata": metadata})
        if request.reply is not None:
            request.reply.created = True
        return created


def _plain(obj: Mapping[str, Any]) -> Object:
    """A copy made of plain JSON values: what is stored is shared, so it must not be the caller's own."""
    copy: Object = orjson.loads(orjson.dumps(obj))
    return copy


def _refuse_subresource(resource: Resource, subresource: str) -> None:
    if subresource and (subresource not in _WRITABLE or subresource not in resource.subresources):
        raise ApiError(404, "NotFound", "the server could not find the requested resource")
