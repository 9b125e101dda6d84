"""The evacuation controller: a VMIM for every VMI that has to leave its node (kubevirt sheet §7.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import NODE, POD
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.decisions import Faults, Row, Table, decide, hold
from lab.controllers.effects import Effect, perform
from lab.controllers.events import Emit, EventType
from lab.controllers.index import Index, by_controller
from lab.controllers.runtime import Key, Mapper, same_object
from lab.kubevirt.callers import Callers
from lab.kubevirt.conditions import is_true, of
from lab.kubevirt.config import ComponentConfig
from lab.kubevirt.evacuation.evictions import SOURCE
from lab.kubevirt.facts import (
    annotation,
    is_deleting,
    is_final,
    migration_state,
    node_of,
)
from lab.kubevirt.kinds import VMI, VMIM
from lab.kubevirt.lookups import by_vmi, vmi_key
from lab.kubevirt.migration.names import EVACUATION_ANNOTATION

Json = Mapping[str, Any]
COMPONENT = "evacuation-controller"


@dataclass(frozen=True, slots=True)
class Evacuee:
    """A VMI that may have to leave its node."""

    vmi: Json
    tainted: bool  # whether its node carries the old drain taint
    strategy: str
    unfinished: int  # VMIMs for it that are not final
    active_pods: int

    @property
    def asked(self) -> bool:
        """Whether it has to leave the node it is on."""
        return self.tainted or (self.vmi.get("status") or {}).get("evacuationNodeName") == node_of(self.vmi)

    @property
    def migratable(self) -> bool:
        """Whether it can move."""
        return is_true(of(self.vmi), "LiveMigratable")

    @property
    def migrating(self) -> bool:
        """Whether it moves now."""
        state = migration_state(self.vmi)
        return bool(state.get("startTimestamp")) and not state.get("endTimestamp")

    def event(self, kind: EventType, reason: str, message: str) -> Emit:
        """An event on the VMI."""
        return Emit(self.vmi, kind, reason, message, COMPONENT)


@dataclass(frozen=True, slots=True)
class CreateMigration:
    """The VMIM, and the event that tells of it."""

    evacuee: Evacuee

    def apply(self, api: Api, caller: Caller) -> None:
        """Create it; a refusal is told and raised."""
        vmi = self.evacuee.vmi
        maintenance = annotation(vmi, SOURCE) == "descheduler"
        manifest = {
            "metadata": {
                "generateName": "kubevirt-evacuation-",
                "namespace": vmi["metadata"]["namespace"],
                "annotations": {EVACUATION_ANNOTATION: node_of(vmi)},
            },
            "spec": {
                "vmiName": vmi["metadata"]["name"],
                "priority": "system-maintenance" if maintenance else "system-critical",
            },
        }
        try:
            created = api.create(VMIM, manifest, caller=caller)
        except ApiError as error:
            text = f"Error creating a Migration: {error.message}"
            self.evacuee.event("Warning", "FailedCreate", text).apply(api, caller)
            raise
        name = created["metadata"]["name"]
        self.evacuee.event("Normal", "SuccessfulCreate", f"Created Migration {name}").apply(api, caller)


def evacuate(evacuee: Evacuee) -> Sequence[Effect]:
    """Ask for its migration."""
    return (CreateMigration(evacuee),)


def _wants(evacuee: Evacuee) -> bool:
    return evacuee.strategy == "LiveMigrate" or (evacuee.strategy == "LiveMigrateIfPossible" and evacuee.migratable)


EVACUATE: Table[Evacuee] = Table(
    "evacuation",
    (
        Row("not asked to leave", lambda evacuee: not evacuee.asked, hold),
        Row("on its way already", lambda evacuee: evacuee.migrating and not evacuee.tainted, hold),
        Row("ends", lambda evacuee: is_final(evacuee.vmi) or is_deleting(evacuee.vmi), hold),
        Row("does not want to move", lambda evacuee: not _wants(evacuee), hold),
        Row("cannot move", lambda evacuee: not evacuee.migratable, hold),
        Row("a migration is unfinished", lambda evacuee: evacuee.unfinished > 0, hold),
        Row("a pod of the last migration is left", lambda evacuee: evacuee.active_pods > 1, hold),
        Row("evacuate", lambda _: True, evacuate),
    ),
)


class EvacuationController:
    """One VMI a reconcile."""

    name = "virt-controller-evacuation"

    def __init__(self, api: Api, config: ComponentConfig, callers: Callers, faults: Faults) -> None:
        self._api = api
        self._config = config
        self._caller = callers.controller
        self._table = faults.ahead_of(EVACUATE)
        self._pods = Index(api, POD, by_controller)
        self._migrations = Index(api, VMIM, by_vmi)
        self._by_node = Index(api, VMI, lambda vmi: (node,) if (node := node_of(vmi)) else ())

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """VMIs, their migrations and pods, and nodes for the sake of the old taint."""
        return {VMI: same_object, VMIM: _of_migration, POD: _of_pod, NODE: self._on_node}

    def reconcile(self, key: Key) -> float | None:
        """See whether one VMI has to go."""
        vmi = self._api.find(VMI, *key)
        if vmi is None:
            return None
        decision = decide(self._table, self._look(vmi), self._api.clock.now())
        perform(decision.effects, self._api, self._caller)
        return decision.wake_at

    def _look(self, vmi: Json) -> Evacuee:
        metadata, config = vmi["metadata"], self._config.current
        node = self._api.find(NODE, "", node_of(vmi)) or {}
        taints = (node.get("spec") or {}).get("taints") or ()
        drain = (config.migrations.node_drain_taint_key, "NoSchedule")
        migrations = self._migrations.of(vmi_key(metadata["namespace"], metadata["name"]))
        return Evacuee(
            vmi=vmi,
            tainted=any((taint.get("key"), taint.get("effect")) == drain for taint in taints),
            strategy=vmi["spec"].get("evictionStrategy") or config.eviction_strategy,
            unfinished=sum(not is_final(migration) for migration in migrations),
            active_pods=sum(not is_final(pod) for pod in self._pods.of(metadata["uid"])),
        )

    def _on_node(self, change: Change) -> Iterable[Key]:
        return [(vmi["metadata"]["namespace"], vmi["metadata"]["name"]) for vmi in self._by_node.of(change.new.name)]


def _of_migration(change: Change) -> Iterable[Key]:
    migration: Json = change.new.obj
    return ((change.new.namespace, str((migration.get("spec") or {}).get("vmiName", ""))),)


def _of_pod(change: Change) -> Iterable[Key]:
    name = annotation(change.new.obj, "kubevirt.io/domain")
    return () if name is None else ((change.new.namespace, name),)
