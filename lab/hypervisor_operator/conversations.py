"""Work that takes time: a generator that asks for requests and pauses, and is gone on with when they are answered."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Generic, TypeVar

from lab.clock import Clock
from lab.hypervisor_operator.wire import HttpReply, HttpRequest, Nova

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Send:
    """Send this; what comes back is the reply."""

    request: HttpRequest


@dataclass(frozen=True, slots=True)
class Pause:
    """Go on after so many product seconds."""

    seconds: float


Step = Send | Pause
Talk = Generator[Step, HttpReply | None, R]


def ask(request: HttpRequest) -> Talk[HttpReply]:
    """Send a request and have its reply."""
    reply = yield Send(request)
    if reply is None:
        raise AssertionError("a request was gone on with, but not answered")
    return reply


class Conversation(Generic[R]):
    """One talk under way. `ended` gets its result, `broke` an exception of `expected` types; others pass."""

    def __init__(
        self,
        talk: Talk[R],
        nova: Nova,
        clock: Clock,
        ended: Callable[[R], None],
        broke: Callable[[Exception], None],
        expected: tuple[type[Exception], ...],
    ) -> None:
        self._talk = talk
        self._nova = nova
        self._clock = clock
        self._ended = ended
        self._broke = broke
        self._expected = expected
        self._over = False

    def advance(self, reply: HttpReply | None = None) -> None:
        """Go on to the next step; call it once to begin."""
        if self._over:
            return
        try:
            step = self._talk.send(reply)
        except StopIteration as stop:
            self._over = True
            self._ended(stop.value)
        except self._expected as error:
            self._over = True
            self._broke(error)
        else:
            if isinstance(step, Send):
                self._nova.send(step.request, self.advance)
            else:
                self._clock.call_later(step.seconds, self.advance)

    def abandon(self) -> None:
        """Never go on: the process has ended."""
        self._over = True
        self._talk.close()
