"""Live migrations as the recording saw them: phases, modes, nodes, outcome, and how many were in flight at once."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from utilities.errors import NotEnoughEvidence
from utilities.history.in_flight.flights import NEVER, Edge, Flight, Outcome, Proof
from utilities.history.in_flight.judging import InFlight
from utilities.history.intervals import Interval, Moment
from utilities.history.objects import POD, VMI, VMIM, Obj, dig, seconds
from utilities.history.recording import Recording
from utilities.history.records import Change, Record

ACTIVE_PHASES = frozenset({"Scheduling", "Scheduled", "PreparingTarget", "TargetReady", "Running"})
"""Phases that hold a parallelism slot; Pending does as soon as a target pod exists (kubevirt sheet §6)."""
FINAL_PHASES = frozenset({"Succeeded", "Failed"})

MIGRATION_UID_LABEL = "kubevirt.io/migrationJobUID"
"""On target pods: uid of the migration they belong to (kubevirt sheet §4.9)."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase a migration entered.

    product_time: UNIX seconds, from the migration's phaseTransitionTimestamps (1 s resolution); None if it states none.
    received: monotonic wall seconds of the first record in it; None if the recording never saw it.
    """

    name: str
    product_time: float | None
    received: float | None


@dataclass(frozen=True, slots=True)
class Migration:
    """One migration. `flight` is its time in a parallelism slot, in orders of writes; None: it never held one.

    state: the last migrationState that the VMI (or the finished migration) showed under this migration's uid.
    """

    uid: str
    key: str
    vmi: str
    phases: tuple[Phase, ...]
    seen_modes: tuple[str, ...]
    source_node: str | None
    target_node: str | None
    state: Obj
    flight: Interval | None
    recording: Recording

    @property
    def phase(self) -> str:
        """The last phase, "" before the first."""
        return self.phases[-1].name if self.phases else ""

    @property
    def succeeded(self) -> bool:
        """Ended well."""
        return self.phase == "Succeeded"

    @property
    def failed(self) -> bool:
        """Ended Failed, by error, timeout or abort."""
        return self.phase == "Failed"

    @property
    def modes(self) -> tuple[str, ...]:
        """Every mode shown in migrationState, in order. Raises NotEnoughEvidence if one may have been missed."""
        start, end = (self.flight.start, self.flight.end) if self.flight else (-math.inf, math.inf)
        self.recording.require_whole(VMI, start, end)
        return self.seen_modes

    @property
    def phase_names(self) -> tuple[str, ...]:
        """Names of the phases in the order they were entered."""
        return tuple(phase.name for phase in self.phases)

    def entered(self, phase: str) -> float:
        """Product time (UNIX seconds) at which a phase was entered. Raises NotEnoughEvidence if it is not known."""
        for candidate in self.phases:
            if candidate.name == phase and candidate.product_time is not None:
                return candidate.product_time
        raise NotEnoughEvidence(
            f"{VMIM} {self.key} states no time of phase {phase}, only of {', '.join(self.phase_names) or 'none'}",
            next_step="read the story of the recording: the migration may never have got there",
        )


@dataclass(frozen=True, slots=True)
class Migrations:
    """Several migrations, oldest first."""

    all: tuple[Migration, ...]

    def __iter__(self) -> Iterator[Migration]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    @property
    def succeeded(self) -> Migrations:
        """Those that ended well."""
        return Migrations(tuple(m for m in self.all if m.succeeded))

    @property
    def failed(self) -> Migrations:
        """Those that ended Failed."""
        return Migrations(tuple(m for m in self.all if m.failed))

    @property
    def vmis(self) -> frozenset[str]:
        """Keys of the VMIs they were for."""
        return frozenset(migration.vmi for migration in self.all)

    @property
    def flights(self) -> tuple[Interval, ...]:
        """Time in a parallelism slot of each that held one, in orders of writes; subject is the migration's key."""
        return tuple(migration.flight for migration in self.all if migration.flight is not None)

    @property
    def in_flight(self) -> InFlight:
        """For the judge of limits: when each held a slot, exactly, in orders of writes; subjects are their keys.

        `out_of(node)` counts as the product does: until it is final a migration holds a slot of the node that its VMI
        leaves, also when the VMI is on the target already (kubevirt sheet §6). Without it: the whole cluster.
        """
        return InFlight.of(found for migration in self.all if (found := _in_slot(migration)) is not None)

    @property
    def peak(self) -> Moment:
        """The first moment with the most of them in flight, with who that was."""
        return self.in_flight.peak

    @property
    def peak_in_flight(self) -> int:
        """The most in flight at any moment: an exact figure, not a sample."""
        return self.peak.count


def migrations(recording: Recording, *, vmi: str | None = None, source: str | None = None) -> Migrations:
    """All migrations in the recording, or those of one VMI (`namespace/name`), or those out of one node.

    Raises NotEnoughEvidence if one may have been missed.
    """
    recording.require_whole(VMIM)
    kept = [m for m in _all(recording) if vmi in (None, m.vmi) and source in (None, m.source_node)]
    return Migrations(tuple(kept))


def migration(recording: Recording, about: str) -> Migration:
    """One migration, by uid or `namespace/name` (the newest of that name).

    Raises NotEnoughEvidence if it does not appear in the recording.
    """
    found = [m for m in _all(recording) if about in (m.uid, m.key)]
    if not found:
        raise NotEnoughEvidence(
            f"{VMIM} {about} does not appear in the recording",
            next_step="create the migration while the recording runs, and check its name and namespace",
        )
    return found[-1]


def _all(recording: Recording) -> list[Migration]:
    by_uid: dict[str, list[Record]] = {}
    for record in recording.of_kind(VMIM):
        by_uid.setdefault(record.uid, []).append(record)
    evidence = _Evidence.of(recording)
    return [_migration(recording, evidence, records) for records in by_uid.values()]


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What other objects tell about migrations, gathered in one pass.

    states: migrationStates shown by VMIs, by migration uid. nodes: (order, node) of VMIs, by key. pods: order in which
    the first target pod of a migration was created, by migration uid; empty if pods were not watched.
    """

    states: dict[str, list[Obj]]
    nodes: dict[str, list[tuple[float, str]]]
    pods: dict[str, float]

    @classmethod
    def of(cls, recording: Recording) -> _Evidence:
        found = cls({}, {}, {})
        for record in recording.of_kind(VMI):
            state = dig(record.object, "status", "migrationState") or {}
            if uid := state.get("migrationUid"):
                found.states.setdefault(uid, []).append(state)
            if node := dig(record.object, "status", "nodeName"):
                found.nodes.setdefault(record.key, []).append((record.order, node))
        for record in recording.of_kind(POD) if POD in recording.watched else ():
            if uid := dig(record.object, "metadata", "labels", MIGRATION_UID_LABEL):
                found.pods.setdefault(uid, -math.inf if record.change is Change.LISTED else record.order)
        return found

    def node_at(self, vmi: str, order: float) -> str | None:
        """The VMI's node at that order, or the first one known after it."""
        known = self.nodes.get(vmi, [])
        position = bisect_right(known, order, key=lambda entry: entry[0])
        return known[max(position - 1, 0)][1] if known else None


def _migration(recording: Recording, evidence: _Evidence, records: list[Record]) -> Migration:
    first, last = records[0], records[-1]
    vmi = f"{dig(first.object, 'metadata', 'namespace')}/{dig(first.object, 'spec', 'vmiName')}"
    states = list(evidence.states.get(first.uid, ()))
    own = dig(last.object, "status", "migrationState") or {}
    if own.get("migrationUid") == first.uid:
        states.append(own)
    state = states[-1] if states else {}
    modes = [state["mode"] for state in states if state.get("mode")]
    flight = _flight(records, evidence.pods.get(first.uid))
    return Migration(
        uid=first.uid,
        key=first.key,
        vmi=vmi,
        phases=_phases(records),
        seen_modes=tuple(mode for mode, _ in groupby(modes)),
        # one that was never handed off names no nodes: it would have left the node its VMI was on
        source_node=state.get("sourceNode") or evidence.node_at(vmi, flight.start if flight else first.order),
        target_node=state.get("targetNode"),
        state=state,
        flight=flight,
        recording=recording,
    )


def _phases(records: list[Record]) -> tuple[Phase, ...]:
    """Stamps and records joined: stamps survive a gap, records know when we saw it."""
    stamped: dict[str, float] = {}
    received: dict[str, float] = {}
    for record in records:
        for entry in dig(record.object, "status", "phaseTransitionTimestamps") or ():
            stamped.setdefault(entry["phase"], seconds(entry["phaseTransitionTimestamp"]))
        if phase := dig(record.object, "status", "phase"):
            received.setdefault(phase, record.received)
    names = list(stamped)
    for position, name in enumerate(received):
        if name not in stamped:  # goes behind the phase seen before it
            before = list(received)[:position]
            names.insert(max((names.index(other) + 1 for other in before if other in names), default=0), name)
    return tuple(Phase(name, stamped.get(name), received.get(name)) for name in names)


def _flight(records: list[Record], pod: float | None) -> Interval | None:
    """From the first active phase or the target pod, whichever was first, until final or gone."""
    starts = [] if pod is None else [pod]
    end = math.inf
    for record in records:
        phase = dig(record.object, "status", "phase")
        if record.gone or phase in FINAL_PHASES:
            end = record.order
            break
        if phase in ACTIVE_PHASES:
            starts.append(-math.inf if record.change is Change.LISTED else record.order)
    ended_before = records[0].change is Change.LISTED and records[0].order == end
    start = min(starts, default=math.inf)
    return Interval(records[0].key, start, end) if start < end and not ended_before else None


def _in_slot(migration: Migration) -> Flight | None:
    """A migration's flight for the judge, with the product time of its stamps beside the orders of writes."""
    flight = migration.flight
    if flight is None:
        return None
    stamps = [phase for phase in migration.phases if phase.product_time is not None]
    active = [phase.product_time for phase in stamps if phase.name in ACTIVE_PHASES]
    final = [phase.product_time for phase in stamps if phase.name in FINAL_PHASES]
    ended, outcome = NEVER, Outcome.OPEN
    if not math.isinf(flight.end):
        outcome = Outcome.LEFT if migration.succeeded else Outcome.STAYED if migration.failed else Outcome.DELETED
        ended = Edge.exactly(flight.end, Proof.WATCH, final[0] if final else None)
    return Flight(
        subject=migration.key,
        label=migration.key,
        began=Edge.exactly(flight.start, Proof.WATCH, active[0] if active else None),
        ended=ended,
        outcome=outcome,
        source=migration.source_node,
        target=migration.target_node,
        attempt=migration.uid,
        kind=f"VMI {migration.vmi}",
    )
