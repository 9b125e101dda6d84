"""A closed recording: every record in the order of writes, what was watched, and where it may be blind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

from utilities.errors import NotEnoughEvidence
from utilities.history.objects import Obj
from utilities.history.records import Change, Gap, Record


@dataclass(frozen=True, slots=True)
class Step:
    """A value from the record on in which it was first seen. `value` None: absent, or the object is gone."""

    value: Any
    record: Record


@dataclass(frozen=True, slots=True)
class Recording:
    """What happened to the watched kinds between two moments. Immutable; build it with `of`.

    started, ended: monotonic wall seconds. watched: kinds that were followed; asking about another one is an error,
    because "nothing happened" would be answered about something nobody looked at.
    """

    records: tuple[Record, ...]
    gaps: tuple[Gap, ...]
    watched: frozenset[str]
    started: float
    ended: float

    @classmethod
    def of(
        cls,
        records: Iterable[Record],
        *,
        watched: Iterable[str],
        gaps: Iterable[Gap] = (),
        started: float = 0.0,
        ended: float = math.inf,
    ) -> Self:
        """A recording of records in any order of arrival. The same state received twice counts once."""
        unique: dict[tuple[str, str, int, bool], Record] = {}
        for record in sorted(records, key=lambda record: record.received):
            unique.setdefault((record.kind, record.uid, record.order, record.gone), record)
        ordered = sorted(unique.values(), key=lambda record: (record.order, record.received))
        return cls(tuple(ordered), tuple(gaps), frozenset(watched), started, ended)

    def of_kind(self, kind: str, about: str | None = None) -> tuple[Record, ...]:
        """Records of a kind, of one object if `about` (its uid, or `namespace/name`) is given.

        Raises NotEnoughEvidence if the kind was not watched.
        """
        if kind not in self.watched:
            raise NotEnoughEvidence(
                f"{kind} was not recorded, only {', '.join(sorted(self.watched)) or 'nothing'}",
                next_step=f"add {kind} to the recording of this test",
            )
        return tuple(r for r in self.records if r.kind == kind and (about is None or about in (r.uid, r.key)))

    def require_whole(self, kind: str, start: float = -math.inf, end: float = math.inf) -> None:
        """Raises NotEnoughEvidence if changes of a kind may be missing between two orders."""
        blind = [str(gap) for gap in self.gaps if gap.kind == kind and gap.touches(start, end)]
        if blind:
            raise NotEnoughEvidence(
                "inconclusive, the recording has a gap: " + "; ".join(blind),
                next_step="run the test again; if gaps return, look at the API server's load and the network to it",
            )

    def steps(self, kind: str, about: str, pick: Callable[[Obj], Any]) -> tuple[Step, ...]:
        """The values an aspect of one object went through, without repetitions.

        Raises NotEnoughEvidence if a value may have been missed, or if the object never appeared.
        """
        records = self.of_kind(kind, about)
        self.require_whole(kind)
        if not records:
            raise NotEnoughEvidence(
                f"{kind} {about} does not appear in the recording",
                next_step="start the recording while the object exists, and check its name and namespace",
            )
        found: list[Step] = []
        for record in records:
            value = None if record.gone else pick(record.object)
            if not found or found[-1].value != value:
                found.append(Step(value, record))
        return tuple(found)

    def between(self, started: float, ended: float) -> Self:
        """The part received between two monotonic moments; what existed at its start is listed in it."""
        before: dict[tuple[str, str], Record] = {}
        inside: list[Record] = []
        for record in self.records:
            if record.received < started:
                before[record.kind, record.uid] = record
            elif record.received <= ended:
                inside.append(record)
        listed = [replace(record, change=Change.LISTED) for record in before.values() if not record.gone]
        return replace(
            self,
            records=tuple(sorted([*listed, *inside], key=lambda record: record.order)),
            gaps=tuple(gap for gap in self.gaps if gap.since <= ended and started <= gap.healed),
            started=started,
            ended=ended,
        )
