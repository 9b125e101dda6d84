"""Decisions that are values: which condition holds, whether a node fits. Faults go in front of these tables too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.controllers.decisions import Table
from lab.controllers.effects import Effect

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Answer:
    """A decision that is a value."""

    value: Any

    def apply(self, api: Api, caller: Caller) -> None:
        """Nothing to do: the value is the decision."""


def says(value: Any) -> Callable[[object], Sequence[Effect]]:
    """The `then` of a row that answers `value`."""
    return lambda _: (Answer(value),)


def answering(value: Callable[[S], Any]) -> Callable[[S], Sequence[Effect]]:
    """The `then` of a row whose answer depends on the subject."""
    return lambda subject: (Answer(value(subject)),)


def answer(table: Table[S], subject: S, default: Any = None) -> Any:
    """What the first row that applies answers; `default` when none does. No row holds back."""
    for row in table.rows:
        if row.when(subject):
            for effect in row.then(subject):
                if isinstance(effect, Answer):
                    return effect.value
            break
    return default


def every_answer(table: Table[S], subject: S) -> list[Any]:
    """What each row that applies answers, in order: for tables that list rather than choose."""
    return [
        effect.value
        for row in table.rows
        if row.when(subject)
        for effect in row.then(subject)
        if isinstance(effect, Answer)
    ]
