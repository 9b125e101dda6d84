"""Binds PersistentVolumeClaims to volumes that need no objects, and lets unused ones go (kubernetes-api sheet §6.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.api import Api
from lab.apiserver.builtin.admission import PROTECTION
from lab.apiserver.builtin.callers import CONTROLLER_MANAGER
from lab.apiserver.builtin.kinds import POD, PVC, STORAGE_CLASS
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.runtime import Key, Mapper, same_object

_BOUND = "pv.kubernetes.io/bind-completed"


@dataclass(frozen=True, slots=True)
class ClaimBinder:
    """A claim of a storage class that exists is bound: at once, or when its first pod has a node."""

    api: Api
    name: str = "claim-binder"

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Claims, the pods that use them, and storage classes."""
        return {PVC: same_object, POD: _claims_of, STORAGE_CLASS: self._all}

    def reconcile(self, key: Key) -> float | None:
        """Bind one claim, or release a deleted one."""
        claim = self.api.find(PVC, *key)
        if claim is None:
            return None
        users = [pod for pod in self.api.list(POD, key[0]) if key[1] in _claim_names(pod) and not _is_over(pod)]
        metadata = claim["metadata"]
        if metadata.get("deletionTimestamp"):
            if not users and PROTECTION in (metadata.get("finalizers") or ()):
                left = [name for name in metadata["finalizers"] if name != PROTECTION]
                self.api.patch(PVC, *key, {"metadata": {"finalizers": left or None}}, caller=CONTROLLER_MANAGER)
        elif (claim.get("status") or {}).get("phase") == "Pending" and self._may_bind(claim, users):
            self._bind(claim)
        return None

    def _may_bind(self, claim: Object, users: list[Object]) -> bool:
        found = self.api.find(STORAGE_CLASS, "", claim["spec"].get("storageClassName") or "")
        if found is None:
            return False
        waits = found.get("volumeBindingMode") == "WaitForFirstConsumer"
        return not waits or any(pod["spec"].get("nodeName") for pod in users)

    def _bind(self, claim: Object) -> None:
        metadata, spec = claim["metadata"], claim["spec"]
        key = (metadata["namespace"], metadata["name"])
        volume = spec.get("volumeName") or f"pvc-{metadata['uid']}"
        body = {"metadata": {"annotations": {_BOUND: "yes"}}, "spec": {"volumeName": volume}}
        self.api.patch(PVC, *key, body, caller=CONTROLLER_MANAGER)
        status = {
            "phase": "Bound",
            "accessModes": spec["accessModes"],
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
        }
        self.api.patch(PVC, *key, {"status": status}, subresource="status", caller=CONTROLLER_MANAGER)

    def _all(self, _: Change) -> Iterable[Key]:
        return [(claim["metadata"]["namespace"], claim["metadata"]["name"]) for claim in self.api.list(PVC)]


def _claims_of(change: Change) -> Iterable[Key]:
    return [(change.new.namespace, name) for name in _claim_names(change.new.obj)]


def _claim_names(pod: Mapping[str, Any]) -> list[str]:
    volumes = (pod.get("spec") or {}).get("volumes") or ()
    return [volume["persistentVolumeClaim"]["claimName"] for volume in volumes if volume.get("persistentVolumeClaim")]


def _is_over(pod: Mapping[str, Any]) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
