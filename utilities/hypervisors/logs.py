"""What the operator writes into its log; its accounting is seen nowhere else (operator sheet §2.4, §6). Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from utilities.history import seconds

_STAMP = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line. at: when it was written, UNIX seconds on the cluster's clock. text: as the program wrote it."""

    at: float
    text: str

    @property
    def words(self) -> tuple[str, ...]:
        """Its parts in zap's console form: time, level, logger, message, fields."""
        return tuple(self.text.split("\t"))

    @property
    def fields(self) -> dict[str, Any]:
        """The fields at its end, or of a line that is JSON as a whole; empty when it has none."""
        try:
            found = json.loads(self.words[-1])
        except json.JSONDecodeError:
            return {}
        return found if isinstance(found, dict) else {}

    def says(self, message: str) -> bool:
        """Whether that is its message."""
        return message in self.words or self.fields.get("msg") == message


@dataclass(frozen=True, slots=True)
class Pass:
    """One look of the operator at all servers of a drain, by its own account. at: UNIX seconds."""

    at: float
    hypervisor: str
    in_flight: int
    started: int
    outstanding: int
    limit: int


def lines(text: str) -> tuple[Line, ...]:
    """Lines of a log that was read with time stamps; one without a stamp goes on with the one before."""
    found: list[Line] = []
    for line in text.splitlines():
        stamp, _, rest = line.partition(" ")
        if _STAMP.match(stamp):
            found.append(Line(seconds(stamp), rest))
        elif found and line:
            found[-1] = Line(found[-1].at, f"{found[-1].text}\n{line}")
    return tuple(found)


def passes(log: Iterable[Line], hypervisor: str | None = None) -> tuple[Pass, ...]:
    """The passes that a log tells of, of one hypervisor or of all, in order. A serial operator tells of none."""
    found = (line for line in log if line.says("poll"))
    return tuple(one for one in _read(found) if hypervisor in (None, one.hypervisor))


def _read(log: Iterable[Line]) -> Iterator[Pass]:
    for line in log:
        told = line.fields
        if {"inFlight", "started", "outstanding", "limit"} <= told.keys():
            yield Pass(
                line.at,
                _hypervisor(told),
                int(told["inFlight"]),
                int(told["started"]),
                int(told["outstanding"]),
                int(told["limit"]),
            )


def _hypervisor(told: dict[str, Any]) -> str:
    """By its own field, or that of the Eviction, which is called like it when it was made for maintenance."""
    return str(told.get("hypervisor") or told.get("name") or (told.get("Eviction") or {}).get("name") or "")
