"""Faults of node drains: limits, evictions, evacuations, strategies (kubevirt sheet §6, §7, §11 rows 12 to 16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lab.controllers.answers import answering, says
from lab.controllers.decisions import Row, hold
from lab.controllers.effects import Effect, Patch
from lab.faults.fault import Fault, ahead, as_sound, would
from lab.faults.plan import drains
from lab.kubevirt.evacuation.controller import EVACUATE, Evacuee, evacuate
from lab.kubevirt.evacuation.evictions import EVICTION, Verdict
from lab.kubevirt.facts import Json, annotation, node_of, phase
from lab.kubevirt.migration.admission import CREATE, Request
from lab.kubevirt.migration.limits import CLAIMS, PRIORITIES, Claim
from lab.kubevirt.migration.names import EVACUATION_ANNOTATION, PENDING, SCHEDULING
from lab.kubevirt.migration.target import TARGET, TargetView
from lab.kubevirt.migration.view import MigrationView
from lab.kubevirt.migration.work import WORK, CreateTargetPod
from lab.kubevirt.subresources.instances import EVACUATE_CANCEL

_starts = would(WORK, "create target pod")
_arrives = would(TARGET, "guest has arrived")
_evacuates = would(EVACUATE, "evacuate")
_in_flight = would(CREATE, "another one in flight")
_blocked = would(EVICTION, "must move and cannot")
_protected = would(EVICTION, "moves", "moves already")


def _is_evacuation(migration: Json) -> bool:
    return annotation(migration, EVACUATION_ANNOTATION) is not None


def _only_the_cluster_is_full(view: MigrationView) -> bool:
    """Whether nothing but the cluster's limit keeps it from its target pod."""
    unlimited = replace(view.config.migrations, parallel_per_cluster=1 << 30)
    free = replace(view, config=replace(view.config, migrations=unlimited))
    return would(WORK, "cluster is at its limit")(view) and _starts(free)


def _keeps_mark(view: TargetView) -> Sequence[Effect]:
    """As the sound table, and the VMI stays marked."""
    effects = as_sound(TARGET, view)
    return [_without_unmarking(effect) if isinstance(effect, Patch) else effect for effect in effects]


def _without_unmarking(patch: Patch) -> Patch:
    status = {key: value for key, value in patch.body["status"].items() if key != "evacuationNodeName"}
    return replace(patch, body={**patch.body, "status": status})


def _second_wanted(evacuee: Evacuee) -> bool:
    return would(EVACUATE, "a migration is unfinished")(evacuee) and evacuee.unfinished == 1


_one_after_the_other: Row[MigrationView] = Row(
    "fault: one after the other",
    lambda view: _starts(view) and (view.slots.active > 0 or view.slots.ahead > 0),  # and evacuations still go first
    hold,
    lambda view: view.now + 1.0,
)
_users_first: Row[Json] = Row("fault: users first", lambda one: not one["spec"].get("priority"), says(1000))
_taint_says_nothing: Row[Evacuee] = Row(
    "fault: the taint says nothing",
    lambda at: _evacuates(at) and not _evacuates(replace(at, tainted=False)),
    hold,
)
_lets_controller_in: Row[Request] = Row(
    "fault: let in", lambda asked: _in_flight(asked) and asked.by_controller, says(None)
)
_lets_users_in: Row[Request] = Row(
    "fault: let in", lambda asked: _in_flight(asked) and not asked.by_controller, says(None)
)

OUTBOUND_LIMIT_RACE = Fault(
    "outbound_limit_race",
    "A migration no longer counts for the node it leaves as soon as its VMI names the target.",
    drains(1),
    ahead(
        CLAIMS,
        Row(
            "fault: by nodeName alone",
            lambda one: one.vmi is not None,
            answering(lambda one: Claim(one.holds_slot, frozenset({node_of(one.vmi or {})}))),
        ),
    ),
)
LIMITS_IGNORED_WHILE_SCHEDULING = Fault(
    "limits_ignored_while_scheduling",
    "An evacuation whose target is not ready yet holds no slot.",
    drains(1, 3),
    ahead(
        CLAIMS,
        Row(
            "fault: not in Scheduling",
            lambda one: _is_evacuation(one.migration) and phase(one.migration) in (PENDING, SCHEDULING),
            answering(lambda one: Claim(False, one.nodes)),
        ),
    ),
)
CLUSTER_LIMIT_IGNORED = Fault(
    "cluster_limit_ignored",
    "Migrations start however many the cluster allows.",
    drains(3, 19),
    ahead(
        WORK,
        Row("fault: the cluster is large", _only_the_cluster_is_full, lambda view: (CreateTargetPod(view),)),
    ),
)
DRAIN_SERIALISED = Fault(
    "drain_serialised",
    "Migrations start one after the other, whatever the limits allow.",
    drains(2, 4),
    ahead(WORK, _one_after_the_other),
)
EVACUATED_TWICE = Fault(
    "evacuated_twice",
    "A second migration of a VMI is made for the same evacuation, and moves it on.",
    drains(4, 5, 12, 17, 18, 19, 20, 21, 22, 23, 24, 25),
    {
        **ahead(EVACUATE, Row("fault: one more", _second_wanted, evacuate)),
        **ahead(CREATE, _lets_controller_in),
    },
)
KILLED_BY_EVICTION = Fault(
    "killed_by_eviction",
    "The eviction of a VM that has to move is granted at once.",
    drains(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19, 20, 21, 22, 23, 24),
    ahead(EVICTION, Row("fault: may go", _protected, says(Verdict()))),
)
BLOCKED_VM_DELETED = Fault(
    "blocked_vm_deleted",
    "The eviction of a VM that has to move and cannot is granted.",
    drains(13),
    ahead(EVICTION, Row("fault: may go all the same", _blocked, says(Verdict()))),
)
EVACUATION_NEVER_CLEARED = Fault(
    "evacuation_never_cleared",
    "A VMI that has left its node stays marked for evacuation from it.",
    drains(10),
    ahead(TARGET, Row("fault: stays marked", _arrives, _keeps_mark)),
)
USERS_OVERTAKE_EVACUATIONS = Fault(
    "users_overtake_evacuations",
    "A migration that a user asked for starts before evacuations that wait.",
    drains(19),
    ahead(PRIORITIES, _users_first),
)
BACKOFF_IGNORED = Fault(
    "backoff_ignored",
    "An evacuation that failed is tried again at once, however often.",
    drains(24),
    ahead(
        WORK,
        Row(
            "fault: no backoff",
            would(WORK, "backoff is told"),
            lambda view: as_sound(WORK, replace(view, backoff_until=0.0)),
        ),
    ),
)
IF_POSSIBLE_BLOCKS = Fault(
    "if_possible_blocks",
    "A VM that should move if possible and cannot keeps its node from being emptied.",
    drains(14),
    ahead(
        EVICTION,
        Row(
            "fault: must move",
            lambda asked: asked.strategy == "LiveMigrateIfPossible" and not asked.migratable,
            answering(lambda asked: Verdict(f"VMI {asked.name} is not live-migratable")),
        ),
    ),
)
NONE_IS_MIGRATED = Fault(
    "none_is_migrated",
    "A VM with strategy None is evacuated all the same.",
    drains(15),
    {
        **ahead(
            EVICTION,
            Row(
                "fault: protected",
                lambda asked: asked.strategy == "None" and asked.migratable and would(EVICTION, "may die")(asked),
                lambda asked: as_sound(EVICTION, replace(asked, strategy="LiveMigrate")),
            ),
        ),
        **ahead(
            EVACUATE,
            Row(
                "fault: moves",
                lambda at: at.strategy == "None" and _evacuates(replace(at, strategy="LiveMigrate")),
                evacuate,
            ),
        ),
    },
)
EXTERNAL_IS_MIGRATED = Fault(
    "external_is_migrated",
    "A VM with strategy External is migrated by the product itself.",
    drains(16),
    ahead(
        EVACUATE,
        Row(
            "fault: not waited for",
            lambda at: at.strategy == "External" and _evacuates(replace(at, strategy="LiveMigrate")),
            evacuate,
        ),
    ),
)
SECOND_MIGRATION_ACCEPTED = Fault(
    "second_migration_accepted",
    "A user's migration of a VM that is being evacuated is accepted.",
    drains(18),
    ahead(CREATE, _lets_users_in),
)
CANCEL_IGNORED = Fault(
    "cancel_ignored",
    "Calling off an evacuation has no effect.",
    drains(20),
    ahead(EVACUATE_CANCEL, Row("fault: nothing is done", would(EVACUATE_CANCEL, "cancel"), hold)),
)
DRAIN_TAINT_IGNORED = Fault(
    "drain_taint_ignored",
    "The taint for drains makes nobody move.",
    drains(25),
    ahead(EVACUATE, _taint_says_nothing),
)

DRAIN_FAULTS: tuple[Fault, ...] = (
    OUTBOUND_LIMIT_RACE,
    LIMITS_IGNORED_WHILE_SCHEDULING,
    CLUSTER_LIMIT_IGNORED,
    DRAIN_SERIALISED,
    EVACUATED_TWICE,
    KILLED_BY_EVICTION,
    BLOCKED_VM_DELETED,
    EVACUATION_NEVER_CLEARED,
    USERS_OVERTAKE_EVACUATIONS,
    BACKOFF_IGNORED,
    IF_POSSIBLE_BLOCKS,
    NONE_IS_MIGRATED,
    EXTERNAL_IS_MIGRATED,
    SECOND_MIGRATION_ACCEPTED,
    CANCEL_IGNORED,
    DRAIN_TAINT_IGNORED,
)
