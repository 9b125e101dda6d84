"""The VMI controller of virt-controller: one VMI a reconcile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.answers import answer
from lab.controllers.decisions import Faults, decide
from lab.controllers.effects import Patch, perform
from lab.controllers.index import Index, by_controller
from lab.controllers.runtime import Key, Mapper, same_object
from lab.kubevirt.callers import Callers
from lab.kubevirt.conditions import is_true, of
from lab.kubevirt.config import ComponentConfig
from lab.kubevirt.facts import is_final
from lab.kubevirt.kinds import VM, VMI, VMIM
from lab.kubevirt.launcher_pod import RenderError, render
from lab.kubevirt.lookups import by_vmi, vmi_key
from lab.kubevirt.merging import difference
from lab.kubevirt.pods import launcher_of
from lab.kubevirt.vmi.phases import PHASES, READY
from lab.kubevirt.vmi.pods import PODS
from lab.kubevirt.vmi.status import wanted
from lab.kubevirt.vmi.view import VmiView

Json = Mapping[str, Any]
_UNPAUSED = "kubevirt.io/virtual-machine-unpaused"
_RETRY = 10.0  # product seconds until a pod that could not be rendered is tried again


class VmiController:
    """Pods and phases of VMIs; what happens after hand-over is virt-handler's."""

    name = "virt-controller-vmi"

    def __init__(self, api: Api, config: ComponentConfig, callers: Callers, faults: Faults) -> None:
        self._api = api
        self._config = config
        self._caller = callers.controller
        self._pods = Index(api, POD, by_controller)
        self._migrations = Index(api, VMIM, by_vmi)
        self._pod_table = faults.ahead_of(PODS)
        self._phase_table = faults.ahead_of(PHASES)
        self._ready_table = faults.ahead_of(READY)

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """VMIs, their pods, the VMs that own them, and their migrations."""
        return {VMI: same_object, POD: _owner, VM: same_object, VMIM: _migrated}

    def reconcile(self, key: Key) -> float | None:
        """Bring one VMI forward: its pods, then its status."""
        vmi = self._api.find(VMI, *key)
        if vmi is None:
            return None
        view = self._look(vmi)
        decision = decide(self._pod_table, view, self._api.clock.now())
        perform(decision.effects, self._api, self._caller)
        if decision.row == "create":
            return None  # the new pod brings us back
        self._write(view)
        stuck = view.unprocessed and view.pod is None and (view.refusal or view.migrating)
        return self._api.clock.now() + _RETRY if stuck else decision.wake_at

    def _write(self, view: VmiView) -> None:
        phase = answer(self._phase_table, view)
        new = wanted(view, phase, answer(self._ready_table, view))
        patch = difference(view.vmi, new)
        if patch:
            perform((Patch(view.ref, patch),), self._api, self._caller)
        if view.pod is not None:
            self._show_paused(view, view.pod)

    def _show_paused(self, view: VmiView, pod: Json) -> None:
        """The readiness gate of the pod follows the Paused condition of the VMI."""
        conditions = of(pod)
        paused, shown = is_true(of(view.vmi), "Paused"), is_true(conditions, _UNPAUSED)
        if paused is not shown:
            return
        texts = (
            ("Paused", "the virtual machine is paused")
            if paused
            else ("NotPaused", "the virtual machine is not paused")
        )
        new = {
            "type": _UNPAUSED,
            "status": "False" if paused else "True",
            "reason": texts[0],
            "message": texts[1],
            "lastProbeTime": view.now,
            "lastTransitionTime": view.now,
        }
        body = {"status": {"conditions": [*(entry for entry in conditions if entry["type"] != _UNPAUSED), new]}}
        metadata = pod["metadata"]
        self._api.patch(POD, metadata["namespace"], metadata["name"], body, subresource="status", caller=self._caller)

    def _look(self, vmi: Json) -> VmiView:
        metadata = vmi["metadata"]
        pods = tuple(self._pods.of(metadata["uid"]))
        pod = launcher_of(pods, vmi)
        manifest, refusal = None, ""
        if pod is None and (vmi.get("status") or {}).get("phase", "") in ("", "Pending"):
            try:
                manifest = render(vmi, self._config.current)
            except RenderError as error:
                refusal = f"failed to render launch manifest: {error}"
        migrations = self._migrations.of(vmi_key(metadata["namespace"], metadata["name"]))
        return VmiView(
            vmi=vmi,
            pod=pod,
            pods=pods,
            manifest=manifest,
            refusal=refusal,
            migrating=any(not is_final(migration) for migration in migrations),
            owned=self._owned(vmi),
            now=self._api.clock.stamp(),
        )

    def _owned(self, vmi: Json) -> bool:
        for owner in vmi["metadata"].get("ownerReferences") or ():
            if owner.get("controller") and owner["kind"] == "VirtualMachine":
                vm = self._api.find(VM, vmi["metadata"]["namespace"], owner["name"])
                return vm is not None and vm["metadata"]["uid"] == owner["uid"]
        return False


def _owner(change: Change) -> Iterable[Key]:
    obj: Json = change.new.obj
    owners = obj["metadata"].get("ownerReferences") or ()
    return [
        (change.new.namespace, owner["name"])
        for owner in owners
        if owner.get("controller") and owner["kind"] == "VirtualMachineInstance"
    ]


def _migrated(change: Change) -> Iterable[Key]:
    migration: Json = change.new.obj
    return [(change.new.namespace, (migration.get("spec") or {}).get("vmiName", ""))]
