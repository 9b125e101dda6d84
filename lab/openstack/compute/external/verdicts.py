"""What Nova makes of an answer: it trusts an ordered list, and otherwise keeps its own order (Cortex sheet §2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from lab.controllers.answers import Answer, answering
from lab.controllers.decisions import Row, Table, decide
from lab.openstack.compute.external import doors

RPC_ERROR = "Migration select destinations error: Remote error: KeyError '{}'"


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer beside the hosts that were offered, best first in Nova's own order."""

    answer: doors.Answer
    offered: tuple[str, ...]

    @property
    def document(self) -> Any:
        """The body as JSON, None when it is none."""
        try:
            return orjson.loads(self.answer.body)
        except orjson.JSONDecodeError:
            return None

    @property
    def named(self) -> tuple[str, ...]:
        """The hosts of an answer that is as it should be."""
        return tuple(self.document["hosts"])


@dataclass(frozen=True, slots=True)
class Verdict:
    """Hosts in the order to take them. `used`: whether it is the service's. `error`: why there can be no order."""

    hosts: tuple[str, ...]
    used: bool
    error: str = ""
    name: str = ""


def _own(heard: Heard) -> Verdict:
    return Verdict(heard.offered, used=False)


def _theirs(heard: Heard) -> Verdict:
    return Verdict(heard.named, used=True)


def _fits_schema(document: Any) -> bool:
    """An object with nothing but `hosts`, a list of text: null is none."""
    return (
        isinstance(document, dict)
        and set(document) == {"hosts"}
        and isinstance(document["hosts"], list)
        and all(isinstance(host, str) for host in document["hosts"])
    )


def _unknown(heard: Heard) -> Sequence[str]:
    return [host for host in heard.named if host not in heard.offered]


def _lost(heard: Heard) -> Verdict:
    return Verdict((), used=True, error=RPC_ERROR.format(_unknown(heard)[0]))


VERDICTS: Table[Heard] = Table(
    "nova-external-scheduler",
    (
        Row("no answer", lambda heard: bool(heard.answer.problem), answering(_own)),
        Row("refused", lambda heard: heard.answer.status >= 400, answering(_own)),
        Row("no JSON", lambda heard: heard.document is None, answering(_own)),
        Row("not the schema", lambda heard: not _fits_schema(heard.document), answering(_own)),
        Row("an unknown host", lambda heard: bool(_unknown(heard)), answering(_lost)),
        Row("no host is left", lambda heard: not heard.named, answering(_theirs)),
        Row("ordered", lambda _: True, answering(_theirs)),
    ),
)
"""Answers a Verdict."""


def verdict(table: Table[Heard], heard: Heard) -> Verdict:
    """What the table answers, with the name of the row that decided."""
    decision = decide(table, heard, float("inf"))
    found: Verdict = next(effect.value for effect in decision.effects if isinstance(effect, Answer))
    return replace(found, name=decision.row)
