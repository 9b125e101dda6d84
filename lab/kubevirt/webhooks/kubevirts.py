"""Admission of KubeVirt objects (kubevirt sheet §3.1)."""

from __future__ import annotations

from collections.abc import Iterable

from lab.apiserver.admission import Admission, Review
from lab.apiserver.errors import Cause
from lab.kubevirt.config import effective
from lab.kubevirt.denial import invalid_for
from lab.kubevirt.kinds import KUBEVIRT

_FIELD = "spec.configuration.developerConfiguration.featureGates"


def register(admission: Admission) -> None:
    """Take part in every write of a KubeVirt object."""
    admission.validate_with(KUBEVIRT.key, ("CREATE", "UPDATE"), _check)


def conflict_text(gates: Iterable[str]) -> str:
    """What virt-operator says about gates in both lists."""
    return ", ".join(_text(gate) for gate in gates)


def _text(gate: str) -> str:
    return f'feature gate "{gate}" exists on both "FeatureGates" and "DisabledFeatureGates"'


def _check(review: Review) -> None:
    doubled = effective(review.obj).gates.in_both
    if doubled:
        webhook = f"kubevirt-{review.operation.lower()}-validator.kubevirt.io"
        raise invalid_for(webhook, *(Cause("FieldValueForbidden", _text(gate), _FIELD) for gate in doubled))
