"""virt-api's veto on evictions of launcher pods (kubevirt sheet §7.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Review
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.errors import ApiError
from lab.apiserver.options import WriteOptions
from lab.controllers.answers import answer, answering, says
from lab.controllers.decisions import Faults, Row, Table
from lab.kubevirt.callers import Callers
from lab.kubevirt.conditions import is_true, of
from lab.kubevirt.config import ComponentConfig
from lab.kubevirt.facts import annotation, is_final, node_of
from lab.kubevirt.kinds import VMI
from lab.kubevirt.launchers import is_launcher

Json = Mapping[str, Any]
_WEBHOOK = "virt-launcher-eviction-interceptor.kubevirt.io"
SOURCE = "kubevirt.io/eviction-source"


@dataclass(frozen=True, slots=True)
class Eviction:
    """Somebody wants a launcher pod away."""

    pod: Json
    vmi: Json | None
    strategy: str  # effective eviction strategy

    @property
    def name(self) -> str:
        """Name of the VMI."""
        return str(annotation(self.pod, "kubevirt.io/domain"))

    @property
    def migratable(self) -> bool:
        """Whether the VMI can move."""
        return self.vmi is not None and is_true(of(self.vmi), "LiveMigratable")

    @property
    def marked(self) -> bool:
        """Whether it is to move already."""
        return self.vmi is not None and bool((self.vmi.get("status") or {}).get("evacuationNodeName"))

    @property
    def triggered(self) -> str:
        """What the drainer is told; the descheduler waits for exactly these words."""
        return f'Eviction triggered evacuation of VMI "{self.pod["metadata"]["namespace"]}/{self.name}"'


@dataclass(frozen=True, slots=True)
class Verdict:
    """None: the pod may go. Otherwise why not, and whether the VMI is to be marked first."""

    refusal: str | None = None
    mark: bool = False


EVICTION: Table[Eviction] = Table(
    "pod-eviction",
    (
        Row(
            "no VMI",
            lambda asked: asked.vmi is None,
            answering(
                lambda asked: Verdict(
                    f'kubevirt failed getting the vmi: virtualmachineinstances.kubevirt.io "{asked.name}" not found'
                )
            ),
        ),
        Row(
            "must move and cannot",
            lambda asked: asked.strategy == "LiveMigrate" and not asked.migratable,
            answering(
                lambda asked: Verdict(
                    f"VMI {asked.name} is configured with an eviction strategy but is not live-migratable"
                )
            ),
        ),
        Row(
            "may die",
            lambda asked: (
                asked.strategy == "None" or (asked.strategy == "LiveMigrateIfPossible" and not asked.migratable)
            ),
            says(Verdict()),
        ),
        Row(
            "moves already",
            lambda asked: asked.marked,
            answering(lambda asked: Verdict(f"Evacuation in progress: {asked.triggered}")),
        ),
        Row(
            "not the guest's pod",
            lambda asked: asked.vmi is not None and node_of(asked.vmi) != asked.pod["spec"].get("nodeName", ""),
            says(Verdict("Eviction request for target Pod")),
        ),
        Row("moves", lambda _: True, answering(lambda asked: Verdict(asked.triggered, mark=True))),
    ),
)


class EvictionInterceptor:
    """Takes part in pods/eviction."""

    def __init__(self, api: Api, config: ComponentConfig, callers: Callers, faults: Faults) -> None:
        self._api = api
        self._config = config
        self._caller = callers.api
        self._table = faults.ahead_of(EVICTION)

    def register(self) -> None:
        """Look at every eviction."""
        self._api.admission.validate_with(POD.key, ("CREATE",), self._check, "eviction")

    def _check(self, review: Review) -> None:
        metadata = review.obj["metadata"]
        pod = self._api.find(POD, metadata["namespace"], metadata["name"])
        if pod is None or not is_launcher(pod) or is_final(pod) or annotation(pod, "kubevirt.io/domain") is None:
            return
        vmi = self._api.find(VMI, metadata["namespace"], str(annotation(pod, "kubevirt.io/domain")))
        own = None if vmi is None else vmi["spec"].get("evictionStrategy")
        verdict: Verdict = answer(self._table, Eviction(pod, vmi, own or self._config.current.eviction_strategy))
        if verdict.refusal is None:
            return
        if verdict.mark and vmi is not None:
            self._mark(review, vmi, pod["spec"]["nodeName"])
        raise ApiError(429, "", f'admission webhook "{_WEBHOOK}" denied the request: {verdict.refusal}')

    def _mark(self, review: Review, vmi: Json, node: str) -> None:
        body: dict[str, Any] = {"status": {"evacuationNodeName": node}}
        if annotation(review.obj, "requested-by") == "sigs.k8s.io/descheduler":
            body["metadata"] = {"annotations": {SOURCE: "descheduler"}}
        metadata = vmi["metadata"]
        dry = "All" in ((review.obj.get("deleteOptions") or {}).get("dryRun") or ())
        options = WriteOptions(dry_run=review.dry_run or dry)
        self._api.patch(VMI, metadata["namespace"], metadata["name"], body, caller=self._caller, options=options)
