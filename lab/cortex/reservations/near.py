"""Cortex in the same process: asked without a socket, at product times that come from the seed alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Protocol

from yarl import URL

from lab.clock import Clock
from lab.hypervisor_operator.wire import TOOK, UNREACHABLE, Answered, HttpReply, HttpRequest
from lab.openstack.compute.external import doors

NOVAS_URL = "http://cortex-nova-scheduler:8080/scheduler/nova/external"
NOVAS_PATIENCE = 10.0  # product seconds: [filter_scheduler]external_scheduler_timeout
_BROKEN = HttpReply(UNREACHABLE, body=b"EOF")


class Reply(Protocol):
    """What the front answers."""

    @property
    def status(self) -> int: ...
    @property
    def body(self) -> bytes: ...
    @property
    def headers(self) -> Mapping[str, str]: ...


Answer = Callable[[str, str, bytes], Reply | None]


class NearCortex:
    """`answer`: what the front says to method, path and body; None: the connection broke."""

    def __init__(self, answer: Answer, clock: Clock, rng: random.Random, took: tuple[float, float] = TOOK) -> None:
        self._answer = answer
        self._clock = clock
        self._rng = rng
        self._took = took

    def send(self, request: HttpRequest, answered: Answered) -> None:
        """It arrives half-way through the time it takes."""
        half = self._rng.uniform(*self._took) / 2
        self._clock.call_later(half, self._arrive, request, answered, half)

    def _arrive(self, request: HttpRequest, answered: Answered, half: float) -> None:
        reply = self._answer(request.method, URL(request.url).path, request.body)
        told = _BROKEN if reply is None else HttpReply(reply.status, dict(reply.headers), reply.body)
        self._clock.call_later(half, answered, told)


class Sender(Protocol):
    """Where requests go."""

    def send(self, request: HttpRequest, answered: Answered) -> None:
        """Send a request; `answered` is called once, later than this returns, or never."""


class NovasDoor:
    """The door through which the lab's Nova asks Cortex."""

    timeout = NOVAS_PATIENCE

    def __init__(self, near: Sender, url: str = NOVAS_URL) -> None:
        self._near = near
        self._url = url

    def send(self, body: bytes, answered: doors.Answered) -> None:
        """As the protocol of doors says."""

        def heard(reply: HttpReply) -> None:
            problem = reply.text if reply.status == UNREACHABLE else ""
            answered(doors.Answer(reply.status, reply.body, problem))

        self._near.send(HttpRequest("POST", self._url, {"Content-Type": "application/json"}, body), heard)
