"""What is kept of each question to the external scheduler, for the lab's journal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """One question. Times are product seconds since the epoch; `migration` is the uuid of the record, "" for a build.

    attempt: 1 for the first question of a search. hosts: as they were offered. ignored: hosts tried before, the
    source first. answer: the hosts that came back, None for an answer that was not used. verdict: what Nova made of
    it. target: the host taken, None if there was none.
    """

    at: float
    server: str
    migration: str
    check: str
    attempt: int
    hosts: tuple[str, ...]
    ignored: tuple[str, ...]
    answered: float | None = None
    status: int | None = None
    verdict: str = ""
    answer: tuple[str, ...] | None = None
    target: str | None = None
