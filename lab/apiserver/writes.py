"""How a write becomes a commit: one critical section from the read to the store (kubernetes-api sheet §2.2, §2.4).

strategy.prepare, then metadata, status and ownership rules, then admission.mutate, generation, validation,
admission.validate, commit. Admission sees objects in their storage version, strategies in that of the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lab.apiserver import deletion, identity, metadata, versions
from lab.apiserver.admission import Object, Operation, Review
from lab.apiserver.bodies import decoded
from lab.apiserver.equality import same, sharing, unchanged
from lab.apiserver.errors import Cause, already_exists, bad_request, invalid
from lab.apiserver.patching import managed
from lab.apiserver.patching.shapes import Shapes
from lab.apiserver.requests import WriteRequest
from lab.apiserver.resources import Resource
from lab.apiserver.store import Snapshot
from lab.apiserver.strategies import Strategy
from lab.apiserver.strictness import report_unknown

if TYPE_CHECKING:
    from lab.apiserver.api import Api

_KEEPS_STATUS_ON_CREATE = (("", "nodes"),)  # a kubelet registers its node with a status
_STATUS_TAKES_LABELS = (("", "nodes"), ("", "pods"), ("", "namespaces"))


class Writes:
    """Creates and replaces; patches end here too."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.shapes = Shapes()

    def create(self, request: WriteRequest, body: Object) -> Object:
        """Commit a new object. Raises 400, 403, 404, 409, 422, and 500 when it carries a resourceVersion."""
        resource = request.resource
        strategy = self._api.strategies.of(resource)
        new = self._begun(resource, decoded(resource, body))
        namespace, name = new["metadata"].get("namespace", ""), new["metadata"].get("name", "")
        if namespace and self._api.check_namespace is not None:
            self._api.check_namespace(self._api, resource, namespace, name)
        report_unknown(request, strategy, body, body.get("metadata"))
        if strategy is not None:
            new = strategy.prepare(new, None)
        return self._finished("CREATE", request, strategy, self._owned(request, new, {}, body), None, {})

    def replace(self, request: WriteRequest, snapshot: Snapshot, old: Object, body: Object) -> Object:
        """Commit a changed object. `old` is the snapshot in the request's version; what is shared is not checked.

        Raises 400, 409, 422; returns the old state if nothing changed.
        """
        resource = request.resource
        strategy = self._api.strategies.of(resource)
        given = body.get("metadata")
        if given is not old["metadata"]:
            body = decoded(resource, body)
        identity.refuse_other_object(request, body["metadata"], old["metadata"])
        report_unknown(request, strategy, body, given)
        new = _combined(request, body, old)
        if strategy is not None:
            new = _restricted(request, sharing(strategy.prepare(new, old), old), old)
        return self._finished("UPDATE", request, strategy, self._owned(request, new, old, body), snapshot, old)

    def _begun(self, resource: Resource, body: Object) -> Object:
        """A new object with its name and what the server sets, without the status clients may not set."""
        found = identity.new_metadata(resource, body["metadata"], self._api.rng, self._api.clock.stamp())
        if not resource.namespaced:
            found.pop("namespace", None)
        elif not found.get("namespace"):
            raise bad_request("an empty namespace may not be set during creation")
        if not found.get("name") and found.get("generateName"):
            namespace = found.get("namespace", "")

            def taken(name: str) -> bool:
                return self._api.store.get(resource.key, namespace, name) is not None

            found["name"] = identity.generated_name(resource, found["generateName"], taken, self._api.rng)
        new = {**body, "metadata": found}
        if "status" in resource.subresources and resource.key not in _KEEPS_STATUS_ON_CREATE:
            new.pop("status", None)
        return new

    def _owned(self, request: WriteRequest, new: Object, old: Object, body: Object) -> Object:
        """The object with managedFields brought up to date."""
        before = old["metadata"].get("managedFields") or () if old else ()
        entries = request.entries
        if entries is None:
            start = before
            if old and not request.subresource:
                start = managed.sent(before, body["metadata"].get("managedFields"))
            resource = request.resource
            who = managed.Manager(
                request.caller.manager, resource.api_version, request.subresource, self._api.clock.stamp()
            )
            entries = managed.record_update(self.shapes.of(resource), start, old, new, who)
        if entries is before:
            return new
        kept = {key: value for key, value in new["metadata"].items() if key != "managedFields"}
        if entries:
            kept["managedFields"] = list(entries)
        return {**new, "metadata": kept}

    def _finished(
        self,
        operation: Operation,
        request: WriteRequest,
        strategy: Strategy | None,
        new: Object,
        snapshot: Snapshot | None,
        old: Object,
    ) -> Object:
        """Admission, generation, validation and commit."""
        resource, admission = request.resource, self._api.admission
        stored_old: Object | None = None if snapshot is None else dict(snapshot.obj)
        review = Review(
            operation, resource, request.subresource, versions.inward(resource, new, stored_old), stored_old,
            request.caller, request.options.dry_run,
        )  # fmt: skip
        stored = admission.mutate(review)
        if stored_old is not None:
            stored = _with_generation(request, stored, stored_old)
        self._validate(request, strategy, stored, old if snapshot else None)
        admission.validate(replace(review, obj=stored))
        return versions.outward(resource, self._committed(request, stored, stored_old))

    def _validate(self, request: WriteRequest, strategy: Strategy | None, stored: Object, old: Object | None) -> None:
        resource = request.resource
        new_metadata, old_metadata = stored["metadata"], {} if old is None else old["metadata"]
        causes: list[Cause] = [] if old is not None else list(metadata.name_causes(resource, new_metadata))
        causes += metadata.causes(resource, new_metadata, old_metadata)
        if strategy is not None:
            causes += strategy.validate(versions.outward(resource, stored), old)
        if causes:
            raise invalid(resource, new_metadata.get("name", ""), causes)
        for warning in metadata.finalizer_warnings(resource, new_metadata, old_metadata):
            request.warn(warning)

    def _committed(self, request: WriteRequest, stored: Object, old: Object | None) -> Mapping[str, Any]:
        resource, store = request.resource, self._api.store
        found = stored["metadata"]
        if old is None and store.get(resource.key, found.get("namespace", ""), found["name"]) is not None:
            raise already_exists(resource, found["name"])
        if old is not None and unchanged(stored, old):
            return old
        if request.options.dry_run:
            return stored
        if old is None:
            return store.put(resource.key, stored).obj
        return deletion.commit(self._api, resource, stored)


def _combined(request: WriteRequest, body: Object, old: Object) -> Object:
    """What the request may change, over what it may not: status writes take the status, others leave it alone."""
    resource = request.resource
    if request.subresource != "status":
        new = {**body, "metadata": identity.kept_metadata(body["metadata"], old["metadata"])}
        return _with_status(new, old) if "status" in resource.subresources else new
    new = _with_status(old, body)
    if resource.key in _STATUS_TAKES_LABELS:
        given = {key: body["metadata"][key] for key in ("labels", "annotations") if key in body["metadata"]}
        new["metadata"] = {**old["metadata"], **given}
    return new


def _restricted(request: WriteRequest, prepared: Object, old: Object) -> Object:
    """The prepared object without what preparing did beyond the reach of the request."""
    if request.subresource == "status":
        return _with_status({**old, "metadata": prepared["metadata"]}, prepared)
    return _with_status(prepared, old) if "status" in request.resource.subresources else prepared


def _with_status(obj: Object, source: Object) -> Object:
    result = {**obj}
    if source.get("status") is not None:
        result["status"] = source["status"]
    else:
        result.pop("status", None)
    return result


def _with_generation(request: WriteRequest, new: Object, old: Object) -> Object:
    """Count the generation up when something outside metadata (and status, if it has its own subresource) changed."""
    resource = request.resource
    if not resource.generation or request.subresource == "status":
        return new
    aside = ("metadata", "status") if "status" in resource.subresources else ("metadata",)
    if all(same(new.get(key), old.get(key)) for key in {**new, **old} if key not in aside):
        return new
    generation = (old["metadata"].get("generation") or 0) + 1
    return {**new, "metadata": {**new["metadata"], "generation": generation}}
