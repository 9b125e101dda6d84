"""Admission of VMIMs: who may ask for a migration of what, and what may be changed later (kubevirt sheet §4.1, §4.2).

Rows answer with the refusal; None admits. The LiveMigratable *condition* counts, not the gate: a stale one does too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.apiserver.admission import Object, Review
from lab.apiserver.api import Api
from lab.apiserver.errors import ApiError, Cause
from lab.controllers.answers import answer, answering, says
from lab.controllers.decisions import Faults, Row, Table
from lab.kubevirt.callers import Callers
from lab.kubevirt.config import ComponentConfig
from lab.kubevirt.denial import invalid_for, refused
from lab.kubevirt.facts import Json, condition, is_final, label, uid, vmi_name
from lab.kubevirt.gates import DECENTRALIZED
from lab.kubevirt.kinds import VMI, VMIM
from lab.kubevirt.migration.names import FINALIZER, VMI_NAME_LABEL

CREATE_WEBHOOK = "migration-create-validator.kubevirt.io"
UPDATE_WEBHOOK = "migration-update-validator.kubevirt.io"


@dataclass(frozen=True, slots=True)
class Request:
    """A VMIM somebody wants to create, and what there is. `in_flight` are other VMIMs of the VMI, not final."""

    migration: Json
    vmi: Json | None
    in_flight: tuple[Json, ...]
    by_controller: bool  # virt-controller itself asks
    decentralized: bool  # that gate is on

    @property
    def wanted(self) -> str:
        """Name of the VMI."""
        return (self.migration.get("spec") or {}).get("vmiName") or ""

    @property
    def blocker(self) -> Json | None:
        """The LiveMigratable condition when it says no."""
        found = None if self.vmi is None else condition(self.vmi, "LiveMigratable")
        return found if found is not None and found["status"] == "False" else None


def _refusal(text: Callable[[Request], str]) -> Callable[[Request], ApiError]:
    return lambda request: refused(CREATE_WEBHOOK, text(request))


def _invalid(reason: str, message: str, field: str = "") -> ApiError:
    return invalid_for(CREATE_WEBHOOK, Cause(reason, message, field))


CREATE: Table[Request] = Table(
    "vmim-create-admission",
    (
        Row(
            "no VMI named",
            lambda request: not request.wanted,
            says(_invalid("FieldValueRequired", "vmiName is missing", "spec.vmiName")),
        ),
        Row(
            "priority is not the caller's to set",
            lambda request: request.migration["spec"].get("priority") is not None and not request.by_controller,
            says(
                _invalid(
                    "FieldValueForbidden",
                    "Migration priority queue, only virt-controller is allowed to set priority field",
                    "spec.migrationPriority",
                )
            ),
        ),
        Row(
            "no such VMI",
            lambda request: request.vmi is None,
            answering(
                _refusal(lambda r: f'the VMI "{r.migration["metadata"]["namespace"]}/{r.wanted}" does not exist')
            ),
        ),
        Row(
            "VMI has ended",
            lambda request: request.vmi is not None and is_final(request.vmi),
            answering(_refusal(lambda _: "Cannot migrate VMI in finalized state.")),
        ),
        Row(
            "not migratable",
            lambda request: request.blocker is not None,
            answering(
                _refusal(
                    lambda r: "Cannot migrate VMI, Reason: {reason}, Message: {message}".format(
                        **{"reason": "", "message": "", **(r.blocker or {})}
                    )
                )
            ),
        ),
        Row(
            "another one in flight",
            lambda request: bool(request.in_flight),
            answering(
                _refusal(
                    lambda r: (
                        f"in-flight migration detected. Active migration job ({uid(r.in_flight[0])}) is "
                        f"currently already in progress for VMI {vmi_name(r.in_flight[0])}."
                    )
                )
            ),
        ),
        Row(
            "decentralized without its gate",
            lambda request: bool({"sendTo", "receive"} & set(request.migration["spec"])) and not request.decentralized,
            says(
                _invalid(
                    "FieldValueNotSupported",
                    "DecentralizedLiveMigration feature gate is not enabled in kubevirt resource",
                )
            ),
        ),
        Row(
            "decentralized is not simulated",
            lambda request: bool({"sendTo", "receive"} & set(request.migration["spec"])),
            says(ApiError(501, "NotImplemented", "the lab does not simulate decentralized live migration")),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Edit:
    """A VMIM before and after somebody's change."""

    old: Json
    new: Json


def _forbidden(message: str) -> ApiError:
    return invalid_for(UPDATE_WEBHOOK, Cause("FieldValueNotSupported", message))


UPDATE: Table[Edit] = Table(
    "vmim-update-admission",
    (
        Row(
            "spec changed",
            lambda edit: edit.old.get("spec") != edit.new.get("spec"),
            says(_forbidden("update of Migration object's spec is restricted")),
        ),
        Row("final ones may be relabelled", lambda edit: is_final(edit.old), says(None)),
        Row(
            "labels removed",
            lambda edit: label(edit.old, VMI_NAME_LABEL) is not None and edit.new["metadata"].get("labels") is None,
            says(_forbidden("selector label can't be removed from an in-flight migration")),
        ),
        Row(
            "label changed",
            lambda edit: (
                label(edit.old, VMI_NAME_LABEL) is not None
                and label(edit.new, VMI_NAME_LABEL) != label(edit.old, VMI_NAME_LABEL)
            ),
            says(_forbidden("selector label can't be modified on an in-flight migration")),
        ),
    ),
)


def labelled(review: Review) -> Object:
    """The mutator: the VMI's name as label, and the finalizer."""
    metadata = review.obj["metadata"]
    wanted = (review.obj.get("spec") or {}).get("vmiName")
    labels = {**(metadata.get("labels") or {}), **({VMI_NAME_LABEL: wanted} if wanted else {})}
    finalizers = [entry for entry in metadata.get("finalizers") or () if entry != FINALIZER]
    return {**review.obj, "metadata": {**metadata, "labels": labels, "finalizers": [*finalizers, FINALIZER]}}


class MigrationAdmission:
    """The webhooks of VMIMs, with the configuration virt-api works with."""

    def __init__(self, api: Api, config: ComponentConfig, callers: Callers, faults: Faults) -> None:
        self._api = api
        self._callers = callers
        self._config = config
        self._create = faults.ahead_of(CREATE)
        self._update = faults.ahead_of(UPDATE)

    def install(self) -> None:
        """Put them in front of writes."""
        admission = self._api.admission
        admission.mutate_with(VMIM.key, ("CREATE",), labelled)
        admission.validate_with(VMIM.key, ("CREATE",), self._on_create)
        admission.validate_with(VMIM.key, ("UPDATE",), self._on_update)

    def _on_create(self, review: Review) -> None:
        namespace = review.obj["metadata"]["namespace"]
        wanted = (review.obj.get("spec") or {}).get("vmiName") or ""
        same_vmi = [
            other for other in self._api.list(VMIM, namespace) if label(other, VMI_NAME_LABEL) == wanted and wanted
        ]
        request = Request(
            migration={**review.obj, "spec": review.obj.get("spec") or {}},
            vmi=self._api.find(VMI, namespace, wanted) if wanted else None,
            in_flight=tuple(other for other in same_vmi if not is_final(other)),
            by_controller=review.caller.user == self._callers.controller.user,
            decentralized=self._config.current.on(DECENTRALIZED),
        )
        _raise(answer(self._create, request))

    def _on_update(self, review: Review) -> None:
        if review.old is not None:
            _raise(answer(self._update, Edit(review.old, review.obj)))


def _raise(refusal: ApiError | None) -> None:
    if refusal is not None:
        raise refusal
