"""When virt-controller creates and deletes a VMI's pods (kubevirt sheet §2.3, §2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.errors import ApiError
from lab.controllers.decisions import Row, Table, hold
from lab.controllers.effects import Delete, Effect, Patch, Ref
from lab.kubevirt.facts import annotation, is_deleting
from lab.kubevirt.vmi.view import VmiView

Json = Mapping[str, Any]
_EVICTION = "descheduler.alpha.kubernetes.io/eviction-in-progress"


@dataclass(frozen=True, slots=True)
class CreatePod:
    """Create the launcher pod and tell of it."""

    view: VmiView

    def apply(self, api: Api, caller: Caller) -> None:
        """Create it; a refusal is told in an event and raised."""
        try:
            pod = api.create(POD, self.view.manifest or {}, caller=caller)
        except ApiError as error:
            self.view.event("Warning", "FailedCreate", f"Error creating pod: {error.message}").apply(api, caller)
            raise
        text = f"Created virtual machine pod {pod['metadata']['name']}"
        self.view.event("Normal", "SuccessfulCreate", text).apply(api, caller)


def _pod_ref(pod: Json) -> Ref:
    return Ref(POD, pod["metadata"]["namespace"], pod["metadata"]["name"])


def _delete_all(view: VmiView) -> Sequence[Effect]:
    return [
        effect
        for pod in view.pods
        if not is_deleting(pod)
        for effect in (
            Delete(_pod_ref(pod)),
            view.event("Normal", "SuccessfulDelete", f"Deleted virtual machine pod {pod['metadata']['name']}"),
        )
    ]


def _mark(value: str | None) -> Row[VmiView]:
    wanted = value is not None

    def applies(view: VmiView) -> bool:
        if view.pod is None or view.pod_is_down or view.marked_for_eviction is not wanted:
            return False
        return (annotation(view.pod, _EVICTION) is not None) is not wanted

    def then(view: VmiView) -> Sequence[Effect]:
        return (
            () if view.pod is None else (Patch(_pod_ref(view.pod), {"metadata": {"annotations": {_EVICTION: value}}}),)
        )

    return Row("eviction begins" if wanted else "eviction ends", applies, then)


PODS: Table[VmiView] = Table(
    "vmi-pods",
    (
        Row("deleted", lambda view: view.deleting, _delete_all),
        Row("final", lambda view: view.final, hold),
        _mark(""),
        _mark(None),
        Row("has its pod", lambda view: view.pod is not None, hold),
        Row("had its pod", lambda view: not view.unprocessed, hold),
        Row("a migration is unfinished", lambda view: view.migrating, hold),
        Row(
            "cannot be rendered",
            lambda view: view.refusal != "",
            lambda view: (view.event("Warning", "FailedCreate", view.refusal),),
        ),
        Row("create", lambda view: view.manifest is not None, lambda view: (CreatePod(view),)),
    ),
)
