"""The VMI a VM starts."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from typing import Any

from lab.kubevirt.vm.view import VmView
from lab.kubevirt.vmi.view import VM_FINALIZER

Json = Mapping[str, Any]


def instance(view: VmView) -> dict[str, Any]:
    """The VMI manifest of a VM's template; a start request may ask for a paused start."""
    metadata, template = view.vm["metadata"], view.vm["spec"]["template"]
    own = template.get("metadata") or {}
    spec = dict(template["spec"])
    domain = dict(spec.get("domain") or {})
    firmware = dict(domain.get("firmware") or {})
    firmware.setdefault("uuid", _stable_uuid(metadata["name"]))
    spec["domain"] = {**domain, "firmware": firmware}
    if (view.request.get("data") or {}).get("paused") == "true":
        spec["startStrategy"] = "Paused"
    generation = metadata.get("generation", 1)
    owner = {"apiVersion": view.vm["apiVersion"], "kind": view.vm["kind"], "name": metadata["name"],
             "uid": metadata["uid"], "controller": True, "blockOwnerDeletion": True}  # fmt: skip
    return {
        "metadata": {
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "labels": dict(own.get("labels") or {}),
            "annotations": {**(own.get("annotations") or {}), "kubevirt.io/vm-generation": str(generation)},
            "ownerReferences": [owner],
            "finalizers": [VM_FINALIZER],
        },
        "spec": spec,
        "status": {"virtualMachineRevisionName": f"revision-start-vm-{metadata['uid']}-{generation}"},
    }


def _stable_uuid(name: str) -> str:
    """The firmware UUID of a name: the same at every start."""
    return str(uuid.UUID(bytes=hashlib.sha256(f"firmware/{name}".encode()).digest()[:16], version=4))
