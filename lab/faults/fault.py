"""A fault: the product broken in one realistic way, as rows put in front of its decision tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lab.controllers.answers import says
from lab.controllers.decisions import Faults, Row, Table, decide
from lab.controllers.effects import Effect
from lab.controllers.events import Emit

S = TypeVar("S")
Rows = Mapping[str, tuple[Row[Any], ...]]


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to break the product.

    `rows` go in front of the tables they name; `at_start` is done once to a lab that is about to start (for what is
    no decision: roles). `scenarios` are those of the plan that must turn red.
    """

    name: str
    breaks: str  # one sentence
    scenarios: frozenset[str]
    rows: Rows = field(default_factory=dict)
    at_start: tuple[Effect, ...] = ()


class UnknownFaultError(Exception):
    """A fault that is not in the catalogue; the message names those that are."""


def named(names: Iterable[str], catalogue: Sequence[Fault]) -> tuple[Fault, ...]:
    """The faults of these names, in this order; raises UnknownFaultError."""
    known = {fault.name: fault for fault in catalogue}
    chosen = []
    for name in names:
        if name not in known:
            raise UnknownFaultError(f"unknown lab fault {name!r}; known faults: {', '.join(sorted(known))}")
        chosen.append(known[name])
    return tuple(chosen)


def together(faults: Iterable[Fault]) -> Faults:
    """The rows of several faults; where two concern one table, those of the first come first."""
    rows: dict[str, tuple[Row[Any], ...]] = {}
    for fault in faults:
        for table, extra in fault.rows.items():
            rows[table] = (*rows.get(table, ()), *extra)
    return Faults(rows)


def ahead(table: Table[S], *rows: Row[S]) -> Rows:
    """These rows in front of that table."""
    return {table.name: tuple(rows)}


def saying(name: str, when: Callable[[S], bool], value: Any) -> Row[S]:
    """A row that answers a value."""
    return Row(f"fault: {name}", when, says(value))


def would(table: Table[S], *rows: str) -> Callable[[S], bool]:
    """Whether the table, sound, decides by one of these rows. Raises LookupError for a row it does not have."""
    known = {row.name for row in table.rows}
    for name in rows:
        if name not in known:
            raise LookupError(f"table {table.name} has no row {name!r}")
    return lambda subject: decide(table, subject, float("inf")).row in rows


def as_sound(table: Table[S], subject: S) -> tuple[Effect, ...]:
    """What the table, sound, does."""
    return decide(table, subject, float("inf")).effects


def silent(table: Table[S], *rows: str) -> Row[S]:
    """These rows of the table, without the events they record."""
    return Row(
        f"fault: {', '.join(rows)}, untold",
        would(table, *rows),
        lambda subject: [effect for effect in as_sound(table, subject) if not isinstance(effect, Emit)],
        _delay_of(table),
    )


def _delay_of(table: Table[S]) -> Callable[[S], float]:
    """The delay of the row by which the table, sound, decides."""

    def delay(subject: S) -> float:
        return next((row.delay(subject) for row in table.rows if row.when(subject)), 0.0)

    return delay
