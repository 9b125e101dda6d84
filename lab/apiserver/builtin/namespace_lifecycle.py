"""What the controller manager does with namespaces: it furnishes new ones and empties dying ones (sheet §2.5, §6.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lab.apiserver import namespaces
from lab.apiserver.admission import Object
from lab.apiserver.api import Api
from lab.apiserver.builtin.callers import NAMESPACE_CONTROLLER
from lab.apiserver.builtin.conditions import with_condition
from lab.apiserver.builtin.kinds import CONFIG_MAP, NAMESPACE, SERVICE_ACCOUNT
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.runtime import Key, Mapper, same_object

ROOT_CA = "kube-root-ca.crt"
_ROOT_CA_NOTE = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters."
)
_AGAIN = 1.0  # product seconds between two looks at a namespace that is not empty yet


class NamespaceLifecycle:
    """Gives each namespace its default ServiceAccount and CA bundle; deletes everything in a terminating one."""

    name = "namespace-lifecycle"

    def __init__(self, api: Api, root_ca: str = "") -> None:
        """`root_ca`: PEM text of the certificate that signed the server's."""
        self._api = api
        self._root_ca = root_ca

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Namespaces, and the furniture that comes back when it is removed."""
        return {NAMESPACE: same_object, SERVICE_ACCOUNT: _namespace_of, CONFIG_MAP: _namespace_of}

    def reconcile(self, key: Key) -> float | None:
        """Furnish or empty one namespace."""
        namespace = self._api.find(NAMESPACE, "", key[1])
        if namespace is None:
            return None
        if not namespace["metadata"].get("deletionTimestamp"):
            self._furnish(key[1])
            return None
        left = list(self._empty(key[1]))
        if left:
            self._report(namespace, left)
            return self._api.clock.now() + _AGAIN
        namespaces.finalize(self._api, key[1], {"spec": {"finalizers": []}}, caller=NAMESPACE_CONTROLLER)
        return None

    def _furnish(self, name: str) -> None:
        note = {"kubernetes.io/description": _ROOT_CA_NOTE}
        self._ensure(SERVICE_ACCOUNT, name, "default", {}, {})
        self._ensure(CONFIG_MAP, name, ROOT_CA, {"annotations": note}, {"data": {"ca.crt": self._root_ca}})

    def _ensure(self, resource: Resource, namespace: str, name: str, metadata: Object, body: Object) -> None:
        if self._api.find(resource, namespace, name) is None:
            obj = {"metadata": {"name": name, "namespace": namespace, **metadata}, **body}
            self._api.create(resource, obj, caller=NAMESPACE_CONTROLLER)

    def _empty(self, name: str) -> Iterator[tuple[Resource, Object]]:
        """Delete what is not being deleted yet; yields what is still there afterwards."""
        kinds = {resource.key: resource for resource in self._api.catalogue if resource.namespaced}
        for key, resource in kinds.items():
            for item in self._api.store.scan(key, name):
                metadata: Any = item.obj["metadata"]
                if not metadata.get("deletionTimestamp"):
                    self._delete(resource, name, item.name)
                left = self._api.find(resource, name, item.name)
                if left is not None:
                    yield resource, left

    def _delete(self, resource: Resource, namespace: str, name: str) -> None:
        try:
            self._api.delete(resource, namespace, name, caller=NAMESPACE_CONTROLLER)
        except ApiError as error:
            if error.code != 404:
                raise

    def _report(self, namespace: Object, left: list[tuple[Resource, Object]]) -> None:
        kinds = Counter(f"{resource.plural}.{resource.group}" for resource, _ in left)
        holds = Counter(name for _, obj in left for name in obj["metadata"].get("finalizers") or ())
        content = _some("Some resources are remaining: ", kinds, "has")
        finalizers = _some("Some content in the namespace has finalizers remaining: ", holds, "in")
        conditions = (
            {"type": "NamespaceContentRemaining", "status": "True", "reason": "SomeResourcesRemain",
             "message": content},
            {"type": "NamespaceFinalizersRemaining", "status": "True", "reason": "SomeFinalizersRemain",
             "message": finalizers}
            if holds else
            {"type": "NamespaceFinalizersRemaining", "status": "False", "reason": "ContentHasNoFinalizers",
             "message": "All content-preserving finalizers finished"},
        )  # fmt: skip
        status = namespace.get("status") or {}
        for condition in conditions:
            status = with_condition(status, condition, self._api.clock.stamp())
        self._api.update(NAMESPACE, {**namespace, "status": status}, subresource="status", caller=NAMESPACE_CONTROLLER)


def _some(text: str, counts: Mapping[str, int], verb: str) -> str:
    return text + ", ".join(f"{name} {verb} {number} resource instances" for name, number in sorted(counts.items()))


def _namespace_of(change: Change) -> Iterable[Key]:
    gone = change.type == "DELETED" and change.new.name in ("default", ROOT_CA)
    return (("", change.new.namespace),) if gone else ()
