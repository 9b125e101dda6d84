"""Deletion: preconditions, propagation policies, finalizers and the grace of pods (kubernetes-api sheet §2.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lab.apiserver.admission import SYSTEM, Caller, Object, Review
from lab.apiserver.builtin.conditions import with_condition
from lab.apiserver.builtin.kinds import CRD, NAMESPACE, POD, PVC, SERVICE, SERVICE_ACCOUNT, STORAGE_CLASS
from lab.apiserver.causes import invalid_value, not_supported
from lab.apiserver.errors import conflict, details_of, forbidden, invalid, not_found
from lab.apiserver.options import DeleteOptions
from lab.apiserver.resources import Resource
from lab.clock import parse_timestamp, timestamp

if TYPE_CHECKING:
    from lab.apiserver.api import Api

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"
CRD_CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
POLICIES = {"Foreground": (FOREGROUND,), "Orphan": (ORPHAN,), "Background": ()}
IMMORTAL = ("default", "kube-system", "kube-public")
_CRD_TERMINATING = {
    "type": "Terminating", "status": "True", "reason": "InstanceDeletionPending",
    "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
}  # fmt: skip
_DELETE_OPTIONS = Resource("meta.k8s.io", "v1", "deleteoptions", "DeleteOptions")
_ANSWERED_WITH_OBJECT = frozenset(kind.key for kind in (POD, NAMESPACE, SERVICE_ACCOUNT, PVC, STORAGE_CLASS, SERVICE))


def delete(
    api: Api,
    resource: Resource,
    namespace: str,
    name: str,
    *,
    options: DeleteOptions = DeleteOptions(),
    caller: Caller = SYSTEM,
) -> Object:
    """Remove the object, or mark it while finalizers or grace hold it; returns its last or present state as stored.

    Raises ApiError 404, 409 (preconditions), 422 (options) and whatever admission refuses with.
    """
    _check_options(options)
    snapshot = api.store.get(resource.key, namespace, name)
    if snapshot is None:
        raise not_found(resource, name)
    old: Object = dict(snapshot.obj)
    _check_preconditions(resource, old, options)
    if resource.key == NAMESPACE.key and name in IMMORTAL:
        raise forbidden(resource, name, "this namespace may not be deleted")
    api.admission.validate(Review("DELETE", resource, "", old, old, caller, options.dry_run))
    new = marked(resource, old, options, api.clock.now())
    if options.dry_run:
        return new
    if not new["metadata"].get("deletionTimestamp"):
        return dict(api.store.remove(resource.key, namespace, name, new).obj)
    return old if new == old else commit(api, resource, new)


def delete_collection(
    api: Api,
    resource: Resource,
    namespace: str | None,
    selected: Callable[[Object], bool],
    *,
    options: DeleteOptions = DeleteOptions(),
    caller: Caller = SYSTEM,
) -> list[Object]:
    """Delete every selected object of a kind (None: in all namespaces), each as a single delete; returns them."""
    names = [
        (item.namespace, item.name) for item in api.store.scan(resource.key, namespace) if selected(dict(item.obj))
    ]
    return [delete(api, resource, where, name, options=options, caller=caller) for where, name in names]


def marked(resource: Resource, old: Object, options: DeleteOptions, now: float) -> Object:
    """The object as this delete leaves it, before it is removed or stored.

    Without `deletionTimestamp` in the result nothing holds the object: it can go at once.
    """
    finalizers = _finalizers(old["metadata"], options)
    if resource.key == POD.key:
        return _marked_pod(old, finalizers, options, now)
    marks: dict[str, object] = {} if "deletionTimestamp" in old["metadata"] else {"deletionTimestamp": timestamp(now)}
    if resource.key == NAMESPACE.key:
        terminating = {**old, "status": {**(old.get("status") or {}), "phase": "Terminating"}}
        return _held(terminating, finalizers, marks)
    if resource.key == CRD.key and marks:
        finalizers = [*(name for name in finalizers if name != CRD_CLEANUP), CRD_CLEANUP]
        old = {**old, "status": with_condition(old.get("status") or {}, _CRD_TERMINATING, timestamp(now))}
    if not finalizers:
        return _held(old, (), {})
    return _held(old, finalizers, {**marks, "deletionGracePeriodSeconds": 0})


def is_due(resource: Resource, obj: Mapping[str, Any]) -> bool:
    """True when the object is being deleted and nothing holds it any more: no finalizer, no grace."""
    metadata = obj["metadata"]
    if not metadata.get("deletionTimestamp") or metadata.get("finalizers"):
        return False
    if resource.key == NAMESPACE.key and (obj.get("spec") or {}).get("finalizers"):
        return False
    return not metadata.get("deletionGracePeriodSeconds")


def commit(api: Api, resource: Resource, new: Object) -> Object:
    """Store the object, or remove it when nothing holds it any more; returns what was committed."""
    metadata = new["metadata"]
    if is_due(resource, new):
        return dict(api.store.remove(resource.key, metadata.get("namespace", ""), metadata["name"], new).obj)
    return dict(api.store.put(resource.key, new).obj)


def reply(api: Api, resource: Resource, result: Object) -> Object:
    """The body that answers a DELETE which returned `result`: a Status when the object is gone, else the object.

    Pod, Namespace, ServiceAccount, PVC, StorageClass and Service answer with the object in either case (§2.3).
    """
    metadata = result["metadata"]
    left = api.find(resource, metadata.get("namespace", ""), metadata["name"])
    gone = left is None or left["metadata"]["uid"] != metadata["uid"]
    if not gone or resource.key in _ANSWERED_WITH_OBJECT:
        return result
    details = {**details_of(resource, metadata["name"]), "uid": metadata["uid"]}
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}


def _check_options(options: DeleteOptions) -> None:
    if options.propagation is not None and options.orphan_dependents is not None:
        detail = "orphanDependents and deletionPropagation cannot be both set"
        raise invalid(_DELETE_OPTIONS, "", [invalid_value("propagationPolicy", options.propagation, detail)])
    if options.propagation is not None and options.propagation not in POLICIES:
        cause = not_supported("propagationPolicy", options.propagation, ("Foreground", "Background", "Orphan", "nil"))
        raise invalid(_DELETE_OPTIONS, "", [cause])


def _check_preconditions(resource: Resource, old: Object, options: DeleteOptions) -> None:
    for label, field, value in (
        ("UID", "uid", options.precondition_uid),
        ("ResourceVersion", "resourceVersion", options.precondition_revision),
    ):
        found = old["metadata"][field]
        if value and value != found:
            why = f"Precondition failed: {label} in precondition: {value}, {label} in object meta: {found}"
            raise conflict(resource, old["metadata"]["name"], why)


def _marked_pod(old: Object, finalizers: list[str], options: DeleteOptions, now: float) -> Object:
    metadata: dict[str, Any] = old["metadata"]
    begun: str | None = metadata.get("deletionTimestamp")
    if begun is None:
        grace = _grace(old, options)
        return _held(old, finalizers, _grace_marks(now + grace, grace))
    given = metadata.get("deletionGracePeriodSeconds", 0)
    grace = given if options.grace_period is None else _seconds(options.grace_period)
    if grace >= given:  # a later delete may only shorten
        return old
    return _held(old, finalizers, _grace_marks(parse_timestamp(begun) - given + grace, grace))


def _grace_marks(end: float, grace: int) -> dict[str, object]:
    return {"deletionTimestamp": timestamp(end), "deletionGracePeriodSeconds": grace}


def _grace(pod: Object, options: DeleteOptions) -> int:
    """Seconds a pod gets: as asked, else its own, else none; none when it never ran or runs no more."""
    if not pod["spec"].get("nodeName") or (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
        return 0
    own = pod["spec"].get("terminationGracePeriodSeconds", 0)
    return _seconds(own if options.grace_period is None else options.grace_period)


def _seconds(seconds: int) -> int:
    return 1 if seconds < 0 else seconds  # a negative grace means one second


def _finalizers(metadata: Mapping[str, Any], options: DeleteOptions) -> list[str]:
    """The finalizers after the propagation policy; without a policy the object keeps what it has."""
    present: list[str] = metadata.get("finalizers") or []
    policy = options.propagation
    if options.orphan_dependents is not None:
        policy = "Orphan" if options.orphan_dependents else "Background"
    if policy is None:
        return present
    return [name for name in present if name not in (FOREGROUND, ORPHAN)] + list(POLICIES[policy])


def _held(old: Object, finalizers: Sequence[str], marks: Mapping[str, object]) -> Object:
    """`old` with these finalizers and marks; the first deletionTimestamp counts the generation up."""
    metadata = {key: value for key, value in old["metadata"].items() if key != "finalizers"}
    if finalizers:
        metadata["finalizers"] = list(finalizers)
    if "deletionTimestamp" in marks and "deletionTimestamp" not in metadata and metadata.get("generation"):
        metadata["generation"] += 1
    return {**old, "metadata": {**metadata, **marks}}
