"""Who waits for whom: parallel limits, queue priorities, the backoff of evacuations (kubevirt sheet §4.10, §6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lab.clock import parse_timestamp
from lab.controllers.answers import answer, answering
from lab.controllers.decisions import Faults, Row, Table
from lab.kubevirt.facts import (
    Json,
    annotation,
    created,
    is_deleting,
    is_final,
    migration_state,
    node_of,
    phase,
)
from lab.kubevirt.migration.names import (
    ACTIVE,
    EVACUATION_ANNOTATION,
    FAILED,
    IGNORE_BACKOFF_ANNOTATION,
    PENDING,
    SUCCEEDED,
    WORKLOAD_UPDATE_ANNOTATION,
)

_PRIORITIES = {"system-critical": 100, "user-triggered": 50, "system-maintenance": 20}
_FIRST_BACKOFF = 20.0  # product seconds after the first failure; doubles with each further one


@dataclass(frozen=True, slots=True)
class Slots:
    """The cluster as one waiting VMIM sees it."""

    active: int  # VMIMs that hold a slot
    outbound: int  # those of them that leave the waiting VMIM's node
    ahead: int = 0  # waiting VMIMs of higher priority
    ahead_on_node: int = 0  # those of them on the same node

    def cluster_is_full(self, limit: int) -> bool:
        """Whether parallelMigrationsPerCluster holds this VMIM back."""
        return self.active + self.ahead >= limit

    def node_is_full(self, limit: int) -> bool:
        """Whether parallelOutboundMigrationsPerNode holds this VMIM back."""
        return self.outbound + self.ahead_on_node >= limit


PRIORITIES: Table[Json] = Table(
    "migration-priority",
    (
        Row(
            "as it says",
            lambda _: True,
            answering(lambda migration: _PRIORITIES.get(migration["spec"].get("priority") or "", 0)),
        ),
    ),
)
"""Queue priority of a waiting VMIM; higher goes first."""


def requeue_delay(migration: Json) -> float:
    """Product seconds until a VMIM held back by a limit looks again."""
    priority = answer(PRIORITIES, migration)
    return 1.0 if priority >= 100 else 3.0 if priority >= 50 else 5.0


@dataclass(frozen=True, slots=True)
class Contender:
    """A VMIM that is not final, its VMI (None if gone), and whether its target pod exists."""

    migration: Json
    vmi: Json | None
    has_pod: bool

    @property
    def holds_slot(self) -> bool:
        """Whether it counts: in Scheduling…Running, or earlier but with a target pod already."""
        return phase(self.migration) in ACTIVE or self.has_pod

    @property
    def nodes(self) -> frozenset[str]:
        """Nodes it counts for: the VMI's, and migrationState.sourceNode.

        nodeName is the target's before the VMIM is final; counting that alone lost the migration (issue #15159).
        """
        if self.vmi is None:
            return frozenset()
        found = (node_of(self.vmi), migration_state(self.vmi).get("sourceNode"))
        return frozenset(node for node in found if node)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a VMIM that is not final counts for. slot: it holds one. nodes: those whose outbound limit it is under."""

    slot: bool
    nodes: frozenset[str]


CLAIMS: Table[Contender] = Table(
    "migration-claim",
    (Row("by phase, pod and both nodes", lambda _: True, answering(lambda one: Claim(one.holds_slot, one.nodes))),),
)
FREE = Slots(0, 0)


class Queue:
    """Who goes before whom, by the tables of one lab."""

    def __init__(self, faults: Faults) -> None:
        self._claims = faults.ahead_of(CLAIMS)
        self._priorities = faults.ahead_of(PRIORITIES)

    def priority(self, migration: Json) -> int:
        """Queue priority of a waiting VMIM; higher goes first."""
        return int(answer(self._priorities, migration))

    def slots(self, migration: Json, node: str, contenders: Iterable[Contender], per_node: int) -> Slots:
        """What is taken and who goes first, for `migration` that waits to leave `node`.

        Of those waiting, only the ones that could start now go first: `per_node` may hold them back themselves.
        """
        active, own = 0, self.priority(migration)
        outbound: Counter[str] = Counter()
        waiting: Counter[str] = Counter()
        for other in contenders:
            claim: Claim = answer(self._claims, other)
            if claim.slot:
                active += 1
                outbound.update(claim.nodes)
            elif _waits(other.migration) and self.priority(other.migration) > own:
                waiting.update(claim.nodes)
        ahead = sum(min(count, max(0, per_node - outbound[there])) for there, count in waiting.items())
        return Slots(active, outbound[node], ahead, waiting[node])


def _waits(migration: Json) -> bool:
    return phase(migration) == PENDING and not is_deleting(migration)


def backoff_end(migration: Json, siblings: Sequence[Json]) -> float:
    """Product time until which an evacuation or workload-update VMIM waits after failures of its kind; 0.0: none.

    `siblings` are all VMIMs of the VMI. 20 s x 2^(n-1) after the previous failure, n consecutive ones counting from the
    newest back to a success; VMIMs that are being deleted do not count.
    """
    if not _backs_off(migration) or annotation(migration, IGNORE_BACKOFF_ANNOTATION) is not None:
        return 0.0
    ordered = [other for other in siblings if _backs_off(other)]
    ordered.sort(key=lambda other: (created(other), not is_final(other)), reverse=True)
    if len(ordered) < 2 or ordered[0]["metadata"]["uid"] != migration["metadata"]["uid"]:
        return 0.0
    delay = 0.0
    for other in ordered[1:]:
        if phase(other) == SUCCEEDED:
            break
        if phase(other) == FAILED and not is_deleting(other):
            delay = delay * 2 or _FIRST_BACKOFF
    return _failed_at(ordered[1]) + delay if delay else 0.0


def _backs_off(migration: Json) -> bool:
    return any(annotation(migration, key) is not None for key in (EVACUATION_ANNOTATION, WORKLOAD_UPDATE_ANNOTATION))


def _failed_at(migration: Json) -> float:
    stamps = (migration.get("status") or {}).get("phaseTransitionTimestamps") or ()
    return next((parse_timestamp(s["phaseTransitionTimestamp"]) for s in stamps if s["phase"] == FAILED), 0.0)
