"""The HyperConverged operator: keeps the KubeVirt object what the HyperConverged object says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.decisions import Faults, Row, Table, decide, hold
from lab.controllers.effects import Create, Effect, Patch, perform
from lab.controllers.runtime import Key, Mapper, same_object
from lab.kubevirt.callers import Callers
from lab.kubevirt.hco.generate import KUBEVIRT_NAME, PatchError, kubevirt_spec
from lab.kubevirt.hco.status import wanted
from lab.kubevirt.hco.view import NAME, HcoView
from lab.kubevirt.kinds import HCO, KUBEVIRT
from lab.kubevirt.merging import difference
from lab.profiles.profile import Product
from lab.scheduling.delays import Delays

Json = Mapping[str, Any]
_LABELS = {
    "app": NAME,
    "app.kubernetes.io/component": "compute",
    "app.kubernetes.io/managed-by": "hco-operator",
    "app.kubernetes.io/part-of": "hyperconverged-cluster",
}


def _create(view: HcoView) -> Sequence[Effect]:
    metadata = view.hco["metadata"]
    owner = {"apiVersion": "hco.kubevirt.io/v1", "kind": "HyperConverged", "name": metadata["name"],
             "uid": metadata["uid"], "controller": True, "blockOwnerDeletion": True}  # fmt: skip
    manifest = {
        "metadata": {
            "name": KUBEVIRT_NAME,
            "namespace": metadata["namespace"],
            "labels": _LABELS,
            "ownerReferences": [owner],
        },
        "spec": view.required,
    }
    return (Create(KUBEVIRT, manifest), view.event("Normal", "Created", f"Created KubeVirt {KUBEVIRT_NAME}"))


def _write(view: HcoView) -> Patch:
    old = (view.kubevirt or {}).get("spec") or {}
    return Patch(view.kubevirt_ref, {"spec": difference(old, view.required or {})})


def _update(view: HcoView) -> Sequence[Effect]:
    return (_write(view), view.event("Normal", "Updated", f"Updated KubeVirt {KUBEVIRT_NAME}"))


def _overwrite(view: HcoView) -> Sequence[Effect]:
    return (_write(view), view.event("Warning", "Overwritten", f"Overwritten KubeVirt {KUBEVIRT_NAME}"))


RECONCILE: Table[HcoView] = Table(
    "hco",
    (
        Row("not ours", lambda view: not view.is_ours, hold),
        Row("cannot be built", lambda view: view.required is None, hold),
        Row("create", lambda view: view.kubevirt is None, _create),
        Row("as wanted", lambda view: not view.differs, hold),
        Row("own change", lambda view: view.own_change, _update, after=lambda view: view.delay),
        Row("foreign change", lambda _: True, _overwrite, after=lambda view: view.delay),
    ),
    since=lambda view: view.noticed_at,
)


class HcoController:
    """One HyperConverged object."""

    name = "hyperconverged-cluster-operator"

    def __init__(
        self, api: Api, product: Product, highly_available: bool, delays: Delays, callers: Callers, faults: Faults
    ) -> None:
        self._api = api
        self._product = product
        self._highly_available = highly_available
        self._delays = delays
        self._caller = callers.hco
        self._table = faults.ahead_of(RECONCILE)
        self._applied: Json = {}  # what the HyperConverged object asked for when the KubeVirt object was last right
        self._noticed: float | None = None
        self._writes = 0

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """The HyperConverged object and what it owns."""
        return {HCO: same_object, KUBEVIRT: self._owner}

    def reconcile(self, key: Key) -> float | None:
        """Bring the KubeVirt object in line, then tell how it is."""
        hco = self._api.find(HCO, *key)
        if hco is None:
            return None
        view = self._look(hco)
        decision = decide(self._table, view, self._api.clock.now())
        perform(decision.effects, self._api, self._caller)
        if decision.effects or not view.differs:
            self._applied, self._noticed = _asked(hco), None
            self._writes += bool(decision.effects)
        if view.is_ours:
            self._tell(self._look(hco))
        return decision.wake_at

    def _tell(self, view: HcoView) -> None:
        now = self._api.clock.stamp()
        status = wanted(view, self._product, self._highly_available, now)
        patch = difference(view.hco.get("status") or {}, status)
        if patch:
            perform((Patch(view.ref, {"status": patch}, subresource="status"),), self._api, self._caller)

    def _look(self, hco: Json) -> HcoView:
        namespace = hco["metadata"]["namespace"]
        kubevirt = self._api.find(KUBEVIRT, namespace, KUBEVIRT_NAME)
        try:
            required: Json | None = kubevirt_spec(hco, self._product.hco)
        except PatchError:
            required = None
        now = self._api.clock.now()
        differs = kubevirt is not None and kubevirt.get("spec") != required
        if differs and self._noticed is None:
            self._noticed = now
        return HcoView(
            hco=hco,
            kubevirt=kubevirt,
            required=required,
            own_change=_asked(hco) != self._applied,
            noticed_at=now if self._noticed is None else self._noticed,
            delay=self._delays.of("hco-reconcile", str(self._writes)),
        )

    def _owner(self, change: Change) -> Iterable[Key]:
        return ((change.new.namespace, NAME),)


def _asked(hco: Json) -> Json:
    return {"spec": hco.get("spec"), "annotations": hco["metadata"].get("annotations")}
