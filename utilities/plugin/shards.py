"""Parts of a run for several machines: which tests belong to which, by the tests alone and the same everywhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from utilities.errors import SiteError

_WRITTEN = re.compile(r"(?P<index>\d+)/(?P<count>\d+)")


class Testable(Protocol):
    """What is asked of a test: where it stands, and what it proves."""

    @property
    def module(self) -> str:
        """Its file: tests of one share what its fixtures made."""
        ...

    @property
    def scenarios(self) -> tuple[str, ...]:
        """Ids of what it proves: tests of one scenario are judged together."""
        ...


T = TypeVar("T", bound=Testable)
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Shard:
    """One part: `index` from 0, as an indexed Job counts, of `count` parts."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """From `INDEX/COUNT`. Raises SiteError."""
        found = _WRITTEN.fullmatch(text)
        shard = cls(int(found["index"]), int(found["count"])) if found else cls(0, 0)
        if shard.index >= shard.count:
            raise SiteError(
                f"--shard {text}: not a part of a run",
                next_step="write INDEX/COUNT with an index from 0 to COUNT - 1, such as --shard 0/4",
            )
        return shard

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def of(self, tests: Sequence[T]) -> list[T]:
        """The tests of this part, in their order. Raises SiteError when there are more parts than can be filled."""
        groups = together(tests)
        sizes = Counter(groups)
        if self.count > max(len(sizes), 1):
            raise SiteError(
                f"--shard {self}: the selected tests make at most {len(sizes)} parts",
                next_step=f"use a count of at most {max(len(sizes), 1)}",
            )
        part = spread(sizes, self.count)
        return [test for test, group in zip(tests, groups, strict=True) if part[group] == self.index]


def together(tests: Iterable[Testable]) -> list[str]:
    """For each test the name of its group: tests of one module, or of one scenario, are in the same one."""
    found = list(tests)
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while (above := parent.setdefault(name, name)) != name:
            name = above
        return name

    for test in found:
        for scenario in test.scenarios:
            one, other = sorted((root(f"module {test.module}"), root(f"scenario {scenario}")))
            parent[other] = one
    return [root(f"module {test.module}") for test in found]


def spread(sizes: Mapping[K, int], count: int) -> dict[K, int]:
    """Part by group: the largest first, each to the part that has least so far. No part stays empty if it can be."""
    load = [0] * count
    part: dict[K, int] = {}
    for group in sorted(sizes, key=lambda each: (-sizes[each], str(each))):
        part[group] = load.index(min(load))
        load[part[group]] += sizes[group]
    return part
