"""Admission of VMIs: defaults, checks, and what only KubeVirt's own accounts may change (kubevirt sheet §2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.admission import Admission, Object, Review
from lab.apiserver.errors import Cause
from lab.clock import Clock
from lab.kubevirt.callers import Callers
from lab.kubevirt.config import ComponentConfig
from lab.kubevirt.denial import invalid_for
from lab.kubevirt.kinds import VMI
from lab.kubevirt.vmi.view import FOREGROUND
from lab.kubevirt.webhooks.checks import refuse_unsimulated, spec_causes
from lab.kubevirt.webhooks.defaults import first_status, spec_with_defaults

Json = Mapping[str, Any]
_CREATE = "virtualmachineinstances-create-validator.kubevirt.io"
_UPDATE = "virtualmachineinstances-update-validator.kubevirt.io"
_OBSERVED = ("kubevirt.io/latest-observed-api-version", "kubevirt.io/storage-observed-api-version")
RESERVED = frozenset(
    f"kubevirt.io/{name}"
    for name in (
        "created-by",
        "migrationJobUID",
        "nodeName",
        "migrationTargetNodeName",
        "schedulable",
        "install-strategy",
    )
)


class VmiAdmission:
    """virt-api's webhooks for VMIs."""

    def __init__(self, clock: Clock, config: ComponentConfig, callers: Callers) -> None:
        self._clock = clock
        self._config = config
        self._callers = callers

    def register(self, admission: Admission) -> None:
        """Take part in every write of a VMI."""
        admission.mutate_with(VMI.key, ("CREATE",), self._complete)
        admission.mutate_with(VMI.key, ("UPDATE",), self._protect_status)
        admission.validate_with(VMI.key, ("CREATE",), self._check_create)
        admission.validate_with(VMI.key, ("UPDATE",), self._check_update)

    def _complete(self, review: Review) -> Object:
        metadata = dict(review.obj["metadata"])
        kept = [name for name in metadata.get("finalizers") or () if name != FOREGROUND]
        metadata["finalizers"] = [*kept, FOREGROUND]
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **dict.fromkeys(_OBSERVED, "v1")}
        vmi = {**review.obj, "metadata": metadata}
        vmi["spec"] = spec_with_defaults(vmi.get("spec") or {}, self._config.current)
        given = vmi.get("status") if self._callers.is_kubevirt(review.caller) else None
        vmi["status"] = first_status({**vmi, "status": given}, self._clock.stamp())
        return vmi

    def _protect_status(self, review: Review) -> Object:
        """A status that somebody else writes is put back, silently."""
        old = review.old or {}
        if self._callers.is_kubevirt(review.caller) or review.obj.get("status") == old.get("status"):
            return review.obj
        restored = {key: value for key, value in review.obj.items() if key != "status"}
        return {**restored, "status": old["status"]} if "status" in old else restored

    def _check_create(self, review: Review) -> None:
        spec = review.obj["spec"]
        refuse_unsimulated(spec)
        causes = spec_causes("spec", spec, self._config.current)
        if not self._callers.is_kubevirt(review.caller) and _reserved(review.obj):
            text = "creation of the following reserved kubevirt.io/ labels on a VMI object is prohibited"
            causes.append(Cause("FieldValueNotSupported", text, "metadata.labels"))
        if causes:
            raise invalid_for(_CREATE, *causes)

    def _check_update(self, review: Review) -> None:
        if self._callers.is_kubevirt(review.caller):
            return
        old: Json = review.old or {}
        if review.obj.get("spec") != old.get("spec"):
            raise invalid_for(_UPDATE, Cause("FieldValueNotSupported", "update of VMI object is restricted"))
        if _reserved(review.obj) != _reserved(old):
            text = "modification of the following reserved kubevirt.io/ labels on a VMI object is prohibited"
            raise invalid_for(_UPDATE, Cause("FieldValueNotSupported", text))


def _reserved(vmi: Json) -> dict[str, str]:
    labels = (vmi.get("metadata") or {}).get("labels") or {}
    return {name: value for name, value in labels.items() if name in RESERVED}
