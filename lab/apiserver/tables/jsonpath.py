"""The JSONPath subset of printer columns: `.spec.x`, `[?(@.type=="Ready")]`, indexes, escaped dots (sheet §5.4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_STEP = re.compile(
    r"""\.(?P<name>(?:\\.|[^.\[\\])+)
      | \[\?\(@\.(?P<key>(?:\\.|[^=\\!\s])+)\s*==\s*(?P<quote>["'])(?P<value>.*?)(?P=quote)\)\]
      | \[['"](?P<quoted>[^'"]*)['"]\]
      | \[(?P<index>-?\d+|\*)\]""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Step:
    """One step: a member, an element, or the elements whose member equals a value."""

    name: str | None = None
    index: int | None = None
    everything: bool = False
    key: tuple[str, ...] = ()
    value: str = ""

    def apply(self, found: list[Any]) -> list[Any]:
        results: list[Any] = []
        for item in found:
            if self.name is not None:
                if isinstance(item, Mapping) and self.name in item:
                    results.append(item[self.name])
            elif isinstance(item, list):
                results.extend(self._elements(item))
        return results

    def _elements(self, items: list[Any]) -> list[Any]:
        if self.everything:
            return items
        if self.index is not None:
            return items[self.index :][:1] if -len(items) <= self.index < len(items) else []
        return [item for item in items if self._matches(item)]

    def _matches(self, item: Any) -> bool:
        for key in self.key:
            item = item.get(key) if isinstance(item, Mapping) else None
        return item is not None and str(item) == self.value


class PathError(ValueError):
    """The path is not of the subset."""


def first(obj: Any, path: str) -> Any:
    """The first value at `path`, None when there is none. Raises PathError on a path outside the subset."""
    found = [obj]
    for step in _parsed(path):
        found = step.apply(found)
    return found[0] if found else None


@lru_cache(maxsize=512)
def _parsed(path: str) -> tuple[_Step, ...]:
    rest = path.strip().removeprefix("{").removesuffix("}").removeprefix("$")
    if not rest.startswith((".", "[")):
        rest = f".{rest}"
    if rest == ".":
        return ()
    steps: list[_Step] = []
    position = 0
    while position < len(rest):
        match = _STEP.match(rest, position)
        if match is None:
            raise PathError(f"cannot read the JSONPath {path!r} at {rest[position:]!r}")
        steps.append(_step(match))
        position = match.end()
    return tuple(steps)


def _step(match: re.Match[str]) -> _Step:
    if match["name"] is not None:
        return _Step(name=re.sub(r"\\(.)", r"\1", match["name"]))
    if match["quoted"] is not None:
        return _Step(name=match["quoted"])
    if match["index"] is not None:
        return _Step(everything=True) if match["index"] == "*" else _Step(index=int(match["index"]))
    keys = tuple(re.sub(r"\\(.)", r"\1", key) for key in re.split(r"(?<!\\)\.", match["key"]))
    return _Step(key=keys, value=match["value"])
