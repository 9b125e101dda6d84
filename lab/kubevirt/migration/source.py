"""The source half of virt-handler: starts and cancels the job, and reports it (kubevirt sheet §4.7, §4.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.clock import timestamp
from lab.controllers.decisions import Faults, Row, Table, decide, hold
from lab.controllers.effects import Do, Effect, Patch, Ref, perform
from lab.controllers.events import Emit, EventType
from lab.controllers.runtime import Key, Mapper, same_object
from lab.kubevirt.config import ComponentConfig
from lab.kubevirt.domains import Domain
from lab.kubevirt.facts import (
    Json,
    annotation,
    is_deleting,
    is_done,
    is_final,
    migration_state,
    node_of,
    uid,
)
from lab.kubevirt.kinds import VMI
from lab.kubevirt.migration.engine import Engine, JobError
from lab.kubevirt.migration.job import Job, Order
from lab.kubevirt.migration.names import POST_COPY
from lab.kubevirt.migration.ordering import order_for

COMPONENT = "virt-handler"


@dataclass(frozen=True, slots=True)
class SourceView:
    """A VMI as the handler of the node it leaves sees it."""

    vmi: Json
    state: Json
    engine: Engine
    job: Job | None  # of this migrationState
    domain: Domain | None
    order: Order | None  # what would be started

    @property
    def is_source(self) -> bool:
        """Whether a migration out of the VMI's node is under way."""
        ends = is_final(self.vmi) or is_deleting(self.vmi) or is_done(self.state)
        return bool(self.state) and not ends and node_of(self.vmi) == self.state.get("sourceNode")

    @property
    def ref(self) -> Ref:
        """The VMI."""
        return Ref(VMI, self.vmi["metadata"]["namespace"], self.vmi["metadata"]["name"])

    def event(self, kind: EventType, reason: str, message: str) -> Emit:
        """An event on the VMI."""
        return Emit(self.vmi, kind, reason, message, COMPONENT, str(self.state.get("sourceNode", "")))

    def write(self, state: Mapping[str, Any]) -> Patch:
        """Change fields of migrationState."""
        return Patch(self.ref, {"status": {"migrationState": dict(state)}})


@dataclass(frozen=True, slots=True)
class StartJob:
    """Ask the launcher to migrate; it refuses a job that ran already."""

    view: SourceView
    domain: Domain
    order: Order

    def apply(self, api: Api, caller: Caller) -> None:
        """Start it, and say so."""
        try:
            self.view.engine.start(self.domain, self.order)
        except JobError as error:
            self.view.event("Warning", "SyncFailed", str(error)).apply(api, caller)
        else:
            self.view.event("Normal", "Migrating", "VirtualMachineInstance is migrating.").apply(api, caller)


def report(job: Job) -> dict[str, Any]:
    """What a job says, as fields of migrationState."""
    fields: dict[str, Any] = {"startTimestamp": timestamp(job.started_at), "mode": job.mode}
    if job.abort_status:
        fields["abortStatus"] = job.abort_status
    if job.failed and job.ended_at is not None:
        fields |= {"failed": True, "completed": True, "endTimestamp": timestamp(job.ended_at)}
        fields["failureReason"] = job.reason
    return fields


def report_failure(view: SourceView) -> Sequence[Effect]:
    """The migration failed; the guest is the source's again."""
    if view.job is None:
        return ()
    message = f"VirtualMachineInstance migration uid {view.job.order.uid} failed. reason:{view.job.reason}"
    return (view.write(report(view.job)), view.event("Warning", "Migrated", message))


def _report_progress(view: SourceView) -> Sequence[Effect]:
    return () if view.job is None else (view.write(report(view.job)),)


def _has_news(view: SourceView) -> bool:
    return view.job is not None and any(view.state.get(key) != value for key, value in report(view.job).items())


def _abort(view: SourceView) -> Sequence[Effect]:
    if view.job is None:
        return ()
    event = view.event("Normal", "Migrating", "VirtualMachineInstance is aborting migration.")
    return (Do("cancel the job", view.job.abort), event)


def _may_abort(view: SourceView) -> bool:
    job = view.job
    wanted = bool(view.state.get("abortRequested"))
    return wanted and job is not None and job.active and not job.aborting and job.mode != POST_COPY


def _start(view: SourceView) -> Sequence[Effect]:
    return () if view.domain is None or view.order is None else (StartJob(view, view.domain, view.order),)


SOURCE: Table[SourceView] = Table(
    "migration-source",
    (
        Row("not a source", lambda view: not view.is_source, hold),
        Row("failed", lambda view: view.job is not None and not view.job.active and view.job.failed, report_failure),
        Row("has news", _has_news, _report_progress),
        Row("abort", _may_abort, _abort),
        Row("under way", lambda view: view.job is not None, hold),
        Row("no guest here", lambda view: view.domain is None or view.domain.ended, hold),
        Row("target publishes no ports yet", lambda view: not view.state.get("targetDirectMigrationNodePorts"), hold),
        Row("start", lambda view: view.order is not None, _start),
    ),
)


class SourceHandler:
    """All nodes' source halves."""

    name = "virt-handler-source"

    def __init__(self, api: Api, config: ComponentConfig, engine: Engine, caller: Caller, faults: Faults) -> None:
        self._api = api
        self._config = config
        self._engine = engine
        self._caller = caller
        self._table = faults.ahead_of(SOURCE)

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """VMIs, and target pods."""
        return {VMI: same_object, POD: of_target_pod}

    def reconcile(self, key: Key) -> float | None:
        """Look at one VMI."""
        vmi = self._api.find(VMI, *key)
        state = {} if vmi is None else migration_state(vmi)
        if vmi is None or not state:
            return None
        decision = decide(self._table, self._look(vmi, state), self._api.clock.now())
        perform(decision.effects, self._api, self._caller)
        return decision.wake_at

    def _look(self, vmi: Json, state: Json) -> SourceView:
        domain, job = self._engine.domains.get(uid(vmi)), self._engine.job(uid(vmi))
        pod = self._api.find(POD, vmi["metadata"]["namespace"], state.get("targetPod", ""))
        mine = job if job is not None and job.order.uid == state.get("migrationUid") else None
        order = None
        if mine is None and domain is not None and pod is not None:
            order = order_for(vmi, pod, domain, self._config.current)
        return SourceView(vmi, state, self._engine, mine, domain, order)


def of_target_pod(change: Change) -> Iterable[Key]:
    """The VMI that a migration target pod is for."""
    pod = change.new.obj
    vmi = annotation(pod, "kubevirt.io/domain")
    return ((change.new.namespace, vmi),) if vmi and annotation(pod, "kubevirt.io/migrationJobName") else ()
