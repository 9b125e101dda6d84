"""The VMIM controller of virt-controller: looks at one migration at a time and moves it on (kubevirt sheet §4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.answers import answer, answering
from lab.controllers.decisions import Faults, Row, Table, decide
from lab.controllers.effects import Delete, Effect, Ref, perform
from lab.controllers.runtime import Key, Mapper
from lab.kubevirt.config import ComponentConfig, Migrations
from lab.kubevirt.facts import Json, annotation, created, is_deleting, is_final, label, phase
from lab.kubevirt.kinds import VMI, VMIM
from lab.kubevirt.migration.limits import Queue
from lab.kubevirt.migration.names import PENDING, VMI_NAME_LABEL
from lab.kubevirt.migration.policies import Settings, settle
from lab.kubevirt.migration.status import STATUS
from lab.kubevirt.migration.view import Views, deadline
from lab.kubevirt.migration.work import WORK

KEPT = 5  # final VMIMs kept per VMI (sheet §4.10)
_RETRY = 5.0  # product seconds until a target pod that could not be created is tried again


@dataclass(frozen=True, slots=True)
class PolicyQuestion:
    """Which settings does a migration of this VMI get now?"""

    cluster: Migrations
    policies: Sequence[Json]
    vmi: Json
    namespace: Json | None


SETTINGS: Table[PolicyQuestion] = Table(
    "migration-settings",
    (
        Row(
            "best matching policy",
            lambda _: True,
            answering(lambda asked: settle(asked.cluster, asked.policies, asked.vmi, asked.namespace)),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Leftovers:
    """A final VMIM beyond those kept, and the pod it left behind ("" if none)."""

    migration: Json
    pod: str


def _collect(found: Leftovers) -> Sequence[Effect]:
    namespace, name = found.migration["metadata"]["namespace"], found.migration["metadata"]["name"]
    pods = (Delete(Ref(POD, namespace, found.pod)),) if found.pod else ()
    return (*pods, Delete(Ref(VMIM, namespace, name)))


COLLECT: Table[Leftovers] = Table("vmim-collect", (Row("collect", lambda _: True, _collect),))


def leftovers(siblings: Iterable[Json]) -> list[Leftovers]:
    """Final VMIMs of one VMI beyond the newest five, oldest first, with their target (failed) or source pod."""
    final = [migration for migration in siblings if is_final(migration) and not is_deleting(migration)]
    final.sort(key=lambda migration: (created(migration), migration["metadata"]["name"]))
    return [Leftovers(migration, _left_pod(migration)) for migration in final[: max(0, len(final) - KEPT)]]


def _left_pod(migration: Json) -> str:
    state = (migration.get("status") or {}).get("migrationState") or {}
    key = "targetPod" if state.get("failed") else "sourcePod" if state.get("completed") else ""
    return str(state.get(key) or "")


class MigrationController:
    """Reconciles VMIMs; changes of their VMI, of their target pod and of finished rivals bring them back."""

    name = "virt-controller-migration"

    def __init__(self, api: Api, config: ComponentConfig, faults: Faults, caller: Caller) -> None:
        self._api = api
        self._config = config
        self._caller = caller
        self._queue = Queue(faults)
        self._views = Views(api, self._queue)
        self._work = faults.ahead_of(WORK)
        self._status = faults.ahead_of(STATUS)
        self._settings = faults.ahead_of(SETTINGS)
        self._collect = faults.ahead_of(COLLECT)

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """VMIMs, VMIs and launcher pods."""
        return {VMIM: self._of_migration, VMI: self._of_vmi, POD: self._of_pod}

    def reconcile(self, key: Key) -> float | None:
        """Do the work that is due, then bring the status up to date, both on what was seen first."""
        migration = self._api.find(VMIM, *key)
        if migration is None:
            return None
        view = self._views.take(migration, self._config.current, self._settle)
        work = decide(self._work, view, view.now)
        status = decide(self._status, view, view.now)
        perform((*work.effects, *status.effects), self._api, self._caller)
        if is_final(migration):
            for found in leftovers(self._views.of_vmi(*_vmi_key(migration))):
                perform(decide(self._collect, found, view.now).effects, self._api, self._caller)
        wakes = [at for at in (work.wake_at, status.wake_at, deadline(view)) if at is not None]
        if work.row == "backoff is told":
            wakes.append(view.backoff_until)
        if work.row == "create target pod":
            wakes.append(view.now + _RETRY)
        return min(wakes, default=None)

    def _settle(self, policies: Sequence[Json], vmi: Json, namespace: Json | None) -> Settings:
        cluster = self._config.current.migrations
        asked = PolicyQuestion(cluster, policies, vmi, namespace)
        settings: Settings = answer(self._settings, asked, Settings(cluster))
        return settings

    def _of_migration(self, change: Change) -> Iterable[Key]:
        own = (change.new.namespace, change.new.name)
        ended = change.type == "DELETED" or (
            is_final(change.new.obj) and change.old is not None and not is_final(change.old.obj)
        )
        return (own, *self._waiting()) if ended else (own,)

    def _waiting(self) -> list[Key]:
        """VMIMs that wait for a slot, those of highest priority first, as many as there are slots."""
        pending = [m for m in self._api.list(VMIM) if phase(m) == PENDING]
        pending.sort(key=self._queue.priority, reverse=True)
        limit = self._config.current.migrations.parallel_per_cluster
        return [(m["metadata"]["namespace"], m["metadata"]["name"]) for m in pending[:limit]]

    def _of_vmi(self, change: Change) -> Iterable[Key]:
        siblings = self._views.of_vmi(change.new.namespace, change.new.name)
        return [(m["metadata"]["namespace"], m["metadata"]["name"]) for m in siblings]

    def _of_pod(self, change: Change) -> Iterable[Key]:
        migration = annotation(change.new.obj, "kubevirt.io/migrationJobName")
        return ((change.new.namespace, migration),) if migration else ()


def _vmi_key(migration: Json) -> Key:
    return (migration["metadata"]["namespace"], label(migration, VMI_NAME_LABEL) or "")
