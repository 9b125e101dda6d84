"""Decision tables: a controller is an ordered table of rows, and a fault is a row put in front of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from lab.controllers.effects import Effect

S = TypeVar("S")  # the subject decided about (a frozen value)


@dataclass(frozen=True, slots=True)
class Row(Generic[S]):
    """One rule: when it applies, what follows, and how long it holds back first (product seconds)."""

    name: str  # recorded as the reason for the change
    when: Callable[[S], bool]
    then: Callable[[S], Sequence[Effect]]  # empty: hold until something changes
    after: Callable[[S], float] | float = 0.0

    def delay(self, subject: S) -> float:
        """Product seconds this row waits after the subject entered its present state."""
        return self.after(subject) if callable(self.after) else self.after


@dataclass(frozen=True, slots=True)
class Table(Generic[S]):
    """Named rows, first match wins. `since` gives the product time the subject entered its present state."""

    name: str
    rows: tuple[Row[S], ...]
    since: Callable[[S], float] = field(default=lambda _: 0.0)


@dataclass(frozen=True, slots=True)
class Decision:
    """What is due now, or when to look again. `row` is the name of the row that decided ("" if none applied)."""

    row: str
    effects: tuple[Effect, ...] = ()
    wake_at: float | None = None


def decide(table: Table[S], subject: S, now: float) -> Decision:
    """The decision of the first row that applies. Pure: no clock, no store, no randomness."""
    for row in table.rows:
        if row.when(subject):
            due = table.since(subject) + row.delay(subject)
            if now < due:
                return Decision(row.name, wake_at=due)
            return Decision(row.name, tuple(row.then(subject)))
    return Decision("")


def hold(_: object) -> Sequence[Effect]:
    """A row that changes nothing: wait until something in view changes."""
    return ()


@dataclass(frozen=True, slots=True)
class Faults:
    """Rows to put in front of tables, by table name."""

    rows: Mapping[str, tuple[Row[object], ...]] = field(default_factory=dict)

    def ahead_of(self, table: Table[S]) -> Table[S]:
        """The table with this run's fault rows in front."""
        extra: tuple[Row[S], ...] = self.rows.get(table.name, ())  # type: ignore[assignment]  # rows are written for that table
        return Table(table.name, (*extra, *table.rows), table.since) if extra else table
