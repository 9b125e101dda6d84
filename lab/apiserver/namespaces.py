"""Namespaces: who may write into one, and how one ends (kubernetes-api sheet §2.5, §6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.apiserver import deletion
from lab.apiserver.admission import SYSTEM, Caller, Object, Review
from lab.apiserver.builtin.kinds import NAMESPACE
from lab.apiserver.errors import ApiError, Cause, conflict, details_of, not_found
from lab.apiserver.options import WriteOptions
from lab.apiserver.resources import Resource

if TYPE_CHECKING:
    from lab.apiserver.api import Api

INITIAL = ("default", "kube-system", "kube-public", "kube-node-lease")


def check_writable(api: Api, resource: Resource, namespace: str, name: str = "") -> None:
    """Refuse a create of `resource` `name` in a namespace that is missing (404) or being terminated (403)."""
    found = api.store.get(NAMESPACE.key, "", namespace)
    if found is None:
        raise not_found(NAMESPACE, namespace)
    obj: Object = dict(found.obj)
    if not obj["metadata"].get("deletionTimestamp"):
        return
    cause = Cause("NamespaceTerminating", f"namespace {namespace} is being terminated", "metadata.namespace")
    message = (
        f'{resource.qualified} "{name}" is forbidden: '
        f"unable to create new content in namespace {namespace} because it is being terminated"
    )
    raise ApiError(403, "Forbidden", message, {**details_of(resource, name), "causes": [cause.to_json()]})


def create_initial(api: Api) -> None:
    """Create the namespaces every cluster starts with."""
    for name in INITIAL:
        if api.find(NAMESPACE, "", name) is None:
            api.create(NAMESPACE, {"metadata": {"name": name}})


def finalize(
    api: Api, name: str, body: Object, *, caller: Caller = SYSTEM, options: WriteOptions = WriteOptions()
) -> Object:
    """PUT `/finalize`: take `spec.finalizers` from the body; the namespace goes when none is left. Raises 404, 409."""
    old = api.get(NAMESPACE, "", name)
    wanted = (body.get("metadata") or {}).get("resourceVersion")
    if wanted and wanted != old["metadata"]["resourceVersion"]:
        raise conflict(NAMESPACE, name)
    left = (body.get("spec") or {}).get("finalizers") or []
    new = {**old, "spec": {**(old.get("spec") or {}), "finalizers": left} if left else {}}
    api.admission.validate(Review("UPDATE", NAMESPACE, "finalize", new, old, caller, options.dry_run))
    return new if options.dry_run or new == old else deletion.commit(api, NAMESPACE, new)
