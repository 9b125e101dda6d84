"""The life of a CustomResourceDefinition: names accepted, established, served, and cleaned up (sheet §5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lab.apiserver.admission import Object
from lab.apiserver.api import Api
from lab.apiserver.builtin.callers import CONTROLLER_MANAGER
from lab.apiserver.builtin.conditions import condition, with_condition
from lab.apiserver.builtin.kinds import CRD
from lab.apiserver.custom.names import accepted
from lab.apiserver.custom.reading import storage_version
from lab.apiserver.custom.registry import Registry
from lab.apiserver.deletion import CRD_CLEANUP
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.runtime import Key, Mapper

_AGAIN = 1.0  # product seconds between two looks at custom resources that are going
_ESTABLISHED = {
    "type": "Established", "status": "True", "reason": "InitialNamesAccepted",
    "message": "the initial names have been accepted",
}  # fmt: skip
_NOT_ESTABLISHED = {
    "type": "Established", "status": "False", "reason": "NotAccepted", "message": "not all names are accepted",
}  # fmt: skip
_DELETING = {
    "type": "Terminating", "status": "True", "reason": "InstanceDeletionInProgress",
    "message": "CustomResource deletion is in progress",
}  # fmt: skip


@dataclass(slots=True)
class DefinitionController:
    """Accepts names, establishes definitions and cleans up after deleted ones."""

    registry: Registry
    name: str = "customresourcedefinitions"

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """A change of one definition may free a name for another of its group."""
        return {CRD: self._group}

    def reconcile(self, key: Key) -> float | None:
        """Bring one definition a step forward."""
        definition = self._api.find(CRD, "", key[1])
        if definition is None:
            self.registry.withdraw(key[1])
            return None
        if definition["metadata"].get("deletionTimestamp"):
            return self._clean_up(definition)
        definition = self._with_names(definition)
        if self._is(definition, "NamesAccepted") and not self._is(definition, "Established"):
            definition = self._write(definition, with_condition(definition["status"], _ESTABLISHED, self._stamp))
        if self._is(definition, "Established"):
            self.registry.serve(definition)
        return None

    def _with_names(self, definition: Object) -> Object:
        group = definition["spec"]["group"]
        others = [
            other
            for other in self._api.list(CRD)
            if other["spec"]["group"] == group and other["metadata"]["uid"] != definition["metadata"]["uid"]
        ]
        names, names_accepted = accepted(definition, others)
        status = {**(definition.get("status") or {}), "acceptedNames": names}
        status = with_condition(status, names_accepted, self._stamp)
        if names_accepted["status"] == "False" and not self._is(definition, "Established"):
            status = with_condition(status, _NOT_ESTABLISHED, self._stamp)
        storage, stored = storage_version(definition), status.get("storedVersions") or []
        status["storedVersions"] = stored if storage in stored else [*stored, storage]
        return self._write(definition, status)

    def _clean_up(self, definition: Object) -> float | None:
        if CRD_CLEANUP not in (definition["metadata"].get("finalizers") or ()):
            return None
        name = definition["metadata"]["name"]
        status = with_condition(definition.get("status") or {}, _DELETING, self._stamp)
        definition = self._write(definition, status)
        resources = self.registry.served(name)
        if resources:
            self.registry.serve(definition, closing=True)
            if self._delete_instances(self.registry.served(name)[0]):
                return self._api.clock.now() + _AGAIN
        left = [finalizer for finalizer in definition["metadata"]["finalizers"] if finalizer != CRD_CLEANUP]
        self.registry.withdraw(name)
        self._api.patch(CRD, "", name, {"metadata": {"finalizers": left or None}}, caller=CONTROLLER_MANAGER)
        return None

    def _delete_instances(self, resource: Resource) -> bool:
        """Delete all objects of the kind; True while some are left."""
        for snapshot in self._api.store.scan(resource.key):
            try:
                self._api.delete(resource, snapshot.namespace, snapshot.name, caller=CONTROLLER_MANAGER)
            except ApiError as error:
                if error.code != 404:
                    raise
        return next(self._api.store.scan(resource.key), None) is not None

    def _write(self, definition: Object, status: Object) -> Object:
        changed = {**definition, "status": status}
        return self._api.update(CRD, changed, subresource="status", caller=CONTROLLER_MANAGER)

    def _is(self, definition: Object, kind: str) -> bool:
        found = condition(definition.get("status") or {}, kind)
        return found is not None and found.get("status") == "True"

    def _group(self, change: Change) -> Iterable[Key]:
        changed: Object = dict(change.new.obj)
        group = changed["spec"]["group"]
        names = [other["metadata"]["name"] for other in self._api.list(CRD) if other["spec"]["group"] == group]
        return dict.fromkeys(("", name) for name in (change.new.name, *names))

    @property
    def _api(self) -> Api:
        return self.registry.api

    @property
    def _stamp(self) -> str:
        return self._api.clock.stamp()
