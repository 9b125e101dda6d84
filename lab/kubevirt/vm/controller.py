"""The VM controller of virt-controller: one VM a reconcile."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import PVC
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Resource
from lab.controllers.decisions import Faults, decide
from lab.controllers.effects import Patch, perform
from lab.controllers.runtime import Key, Mapper, same_object
from lab.kubevirt.callers import Callers
from lab.kubevirt.kinds import VM, VMI
from lab.kubevirt.merging import difference
from lab.kubevirt.vm.printable import PRINTABLE
from lab.kubevirt.vm.running import RUNNING, START_FAILED
from lab.kubevirt.vm.status import wanted
from lab.kubevirt.vm.view import VmView
from lab.kubevirt.vmi.view import VM_FINALIZER

Json = Mapping[str, Any]
_LIVE = ("nodeSelector", "affinity", "tolerations")  # template fields that reach a running VMI
_RETRY = 5.0  # product seconds until a refused start is tried again


class VmController:
    """VMIs follow VMs, VM status follows VMIs."""

    name = "virt-controller-vm"

    def __init__(self, api: Api, rng: random.Random, callers: Callers, faults: Faults) -> None:
        self._api = api
        self._rng = rng
        self._caller = callers.controller
        self._running = faults.ahead_of(RUNNING)
        self._printable = faults.ahead_of(PRINTABLE)
        self._started: dict[str, Json] = {}  # by VM UID: the template its VMI was started with

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """VMs, and VMIs of the same name."""
        return {VM: same_object, VMI: same_object}

    def reconcile(self, key: Key) -> float | None:
        """Bring one VM forward: start or stop its VMI, then its status."""
        vm = self._api.find(VM, *key)
        if vm is None:
            return None
        view = self._look(vm)
        decision = decide(self._running, view, self._api.clock.now())
        failure = ""
        try:
            perform(decision.effects, self._api, self._caller)
        except ApiError as error:
            failure = START_FAILED + error.message
        if not failure and decision.row.endswith(": start"):
            self._started[vm["metadata"]["uid"]] = vm["spec"]["template"]["spec"]
        fresh = self._api.find(VM, *key)
        if fresh is None:
            self._started.pop(vm["metadata"]["uid"], None)
            return None
        self._write(self._look(fresh), failure)
        return self._api.clock.now() + _RETRY if failure else decision.wake_at

    def _write(self, view: VmView, failure: str) -> None:
        patch = difference(view.status, wanted(view, self._printable, failure, self._rng.random()))
        if patch:
            perform((Patch(view.ref, {"status": patch}, subresource="status"),), self._api, self._caller)
        if view.vmi is None or view.foreign:
            return
        metadata = view.vmi["metadata"]
        if view.vmi_final and VM_FINALIZER in (metadata.get("finalizers") or ()):
            kept = [name for name in metadata["finalizers"] if name != VM_FINALIZER]
            perform((Patch(view.vmi_ref, {"metadata": {"finalizers": kept}}),), self._api, self._caller)
        elif not view.vmi_deleting:
            self._update_live(view, view.vmi)

    def _update_live(self, view: VmView, vmi: Json) -> None:
        """Placement fields of the template reach the running VMI."""
        template = view.vm["spec"]["template"]["spec"]
        old = {name: vmi["spec"][name] for name in _LIVE if name in vmi["spec"]}
        patch = difference(old, {name: template[name] for name in _LIVE if name in template})
        if patch:
            perform((Patch(view.vmi_ref, {"spec": patch}),), self._api, self._caller)

    def _look(self, vm: Json) -> VmView:
        metadata, template = vm["metadata"], vm["spec"]["template"]["spec"]
        started = self._started.get(metadata["uid"])
        return VmView(
            vm=vm,
            vmi=self._api.find(VMI, metadata["namespace"], metadata["name"]),
            unbound_claims=any(
                self._unbound(metadata["namespace"], volume) for volume in template.get("volumes") or ()
            ),
            spec_changed=started is not None and _fixed(started) != _fixed(template),
            stamp=self._api.clock.stamp(),
        )

    def _unbound(self, namespace: str, volume: Json) -> bool:
        claim = str((volume.get("persistentVolumeClaim") or {}).get("claimName") or "")
        found = self._api.find(PVC, namespace, claim) if claim else None
        return found is not None and (found.get("status") or {}).get("phase") != "Bound"


def _fixed(template: Json) -> dict[str, Any]:
    """The part of a template that only a restart brings to the guest."""
    return {name: value for name, value in template.items() if name not in _LIVE}
