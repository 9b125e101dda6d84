"""Clients of a lab's API that die at a request of the test's choice: nothing of them is heard after that."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from utilities.clients import Rest


class Killed(BaseException):
    """The process is gone; no handler of its own runs to any effect, because every later request is refused too."""


@dataclass
class Life:
    """ends_at: number of the request that it ends with, from 0; None: never. answered: whether that is still sent."""

    ends_at: int | None = None
    answered: bool = False
    meanwhile: Callable[[int], None] = lambda number: None  # called before each request
    requests: list[str] = field(default_factory=list)

    def live(self, doing: str, act: Callable[[], object]) -> object:
        """Do one request of it."""
        number = len(self.requests)
        self.requests.append(doing)
        self.meanwhile(number)
        if self.ends_at is not None and number >= self.ends_at:
            if number == self.ends_at and self.answered:
                act()
            raise Killed
        return act()


@dataclass(frozen=True)
class Mortal(Rest):
    """A connection of one process."""

    life: Life = field(default_factory=Life)

    def call(self, method, path, **given):
        """Any request."""
        return self.life.live(f"{method} {path}", lambda: Rest.call(self, method, path, **given))

    def follow(self, resource, *given, **more):
        """A watch."""
        return self.life.live(f"WATCH {resource}", lambda: Rest.follow(self, resource, *given, **more))


def every_death(live: Callable[[Life], None]):
    """Lives that end at each request that a whole one makes: before it is sent, and after it is done."""
    whole = Life()
    live(whole)
    for number, answered in itertools.product(range(len(whole.requests)), (False, True)):
        yield Life(number, answered), f"killed {'after' if answered else 'before'} {whole.requests[number]} ({number})"
