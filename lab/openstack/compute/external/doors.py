"""The way to the external scheduler: a body goes out, an answer comes back later, or never."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `problem`: why nothing did, "" otherwise."""

    status: int
    body: bytes = b""
    problem: str = ""


Answered = Callable[[Answer], None]


class Door(Protocol):
    """A service that is reached from Nova's scheduler."""

    @property
    def timeout(self) -> float | None:
        """Product seconds that Nova waits; None: the door itself says when it has waited long enough."""

    def send(self, body: bytes, answered: Answered) -> None:
        """Post a body of JSON; `answered` is called once, later than this returns, or never."""
