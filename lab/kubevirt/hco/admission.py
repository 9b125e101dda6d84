"""HCO's webhook: what a HyperConverged object asks for must be a valid KubeVirt object (kubevirt sheet §3.3)."""

from __future__ import annotations

from lab.apiserver.admission import Admission, Object, Review
from lab.apiserver.errors import ApiError
from lab.kubevirt.config import effective
from lab.kubevirt.hco.generate import PatchError, kubevirt_spec
from lab.kubevirt.kinds import HCO
from lab.kubevirt.webhooks.kubevirts import conflict_text

_WEBHOOK = "validate-hco.kubevirt.io"


class HcoAdmission:
    """Dry-builds the KubeVirt object at every write, and sets the eviction strategy where nobody did."""

    def __init__(self, hco_version: str, highly_available: bool) -> None:
        self._version = hco_version
        self._strategy = "LiveMigrate" if highly_available else "None"

    def register(self, admission: Admission) -> None:
        """Take part in every write of a HyperConverged object."""
        admission.mutate_with(HCO.key, ("CREATE", "UPDATE"), self._complete)
        admission.validate_with(HCO.key, ("CREATE", "UPDATE"), self._check)

    def _complete(self, review: Review) -> Object:
        spec = dict(review.obj.get("spec") or {})
        virtualization = dict(spec.get("virtualization") or {})
        if virtualization.get("evictionStrategy"):
            return review.obj
        virtualization["evictionStrategy"] = self._strategy
        return {**review.obj, "spec": {**spec, "virtualization": virtualization}}

    def _check(self, review: Review) -> None:
        if review.old is not None and _same(review.obj, review.old):
            return
        try:
            spec = kubevirt_spec(review.obj, self._version)
        except PatchError as error:
            raise _denied(str(error)) from error
        doubled = effective({"spec": spec}).gates.in_both
        if doubled:
            raise _denied(f'admission webhook "kubevirt-update-validator.kubevirt.io" denied the request: '
                          f"{conflict_text(doubled)}")  # fmt: skip


def _same(new: Object, old: Object) -> bool:
    annotations = [obj["metadata"].get("annotations") for obj in (new, old)]
    return new.get("spec") == old.get("spec") and annotations[0] == annotations[1]


def _denied(text: str) -> ApiError:
    return ApiError(403, "Forbidden", f'admission webhook "{_WEBHOOK}" denied the request: {text}')
