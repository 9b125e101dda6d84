"""Admission of MigrationPolicies (kubevirt sheet §5.2)."""

from __future__ import annotations

from lab.apiserver.admission import Review
from lab.apiserver.api import Api
from lab.apiserver.errors import Cause
from lab.kubevirt.config import ComponentConfig
from lab.kubevirt.denial import invalid_for
from lab.kubevirt.facts import Json
from lab.kubevirt.gates import STALL_DETECTION
from lab.kubevirt.kinds import POLICY
from lab.quantities import QuantityError, quantity

WEBHOOK = "migration-policy-validator.kubevirt.io"
_INVALID = "FieldValueInvalid"


def faults_in(new: Json, old: Json | None, *, stall_detection: bool) -> tuple[Cause, ...]:
    """What is wrong with a policy; `stall_detection` says whether that gate is on."""
    spec, before = new.get("spec") or {}, (old or {}).get("spec") or {}
    causes: list[Cause] = []
    if (spec.get("completionTimeoutPerGiB") or 0) < 0:
        causes.append(Cause(_INVALID, "must not be negative", "spec.completionTimeoutPerGiB"))
    downtime = spec.get("maxDowntimeMs")
    if downtime is not None and downtime != before.get("maxDowntimeMs") and not stall_detection:
        message = f"maxDowntimeMs cannot be modified without enabling the {STALL_DETECTION} feature gate"
        causes.append(Cause(_INVALID, message, "spec.maxDowntimeMs"))
    bandwidth = spec.get("bandwidthPerMigration")
    if bandwidth is not None:
        try:
            negative = quantity(bandwidth) < 0
        except QuantityError as error:
            causes.append(Cause(_INVALID, str(error), "spec.bandwidthPerMigration"))
        else:
            if negative:
                causes.append(Cause(_INVALID, "must not be negative", "spec.bandwidthPerMigration"))
    return tuple(causes)


class PolicyAdmission:
    """The webhook of MigrationPolicies."""

    def __init__(self, api: Api, config: ComponentConfig) -> None:
        self._api = api
        self._config = config

    def install(self) -> None:
        """Put it in front of writes."""
        self._api.admission.validate_with(POLICY.key, ("CREATE", "UPDATE"), self._on_write)

    def _on_write(self, review: Review) -> None:
        causes = faults_in(review.obj, review.old, stall_detection=self._config.current.on(STALL_DETECTION))
        if causes:
            raise invalid_for(WEBHOOK, *causes)
