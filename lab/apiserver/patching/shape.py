"""The description of one place in an object: how the value there is merged and owned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Shape:
    """Merge rules of a value; which of them apply depends on whether the value is a map or a list.

    members, rest: shapes of named members, and of all others (None: anything). atomic: a map replaced as one.
    listed: `map` (elements are known by `keys`), `set` (by value) or `atomic`; item: shape of an element.
    merge_key: the key of strategic merge patches, where it is not the only one of `keys`.
    """

    members: Mapping[str, Shape] = field(default_factory=dict)
    rest: Shape | None = None
    atomic: bool = False
    listed: Literal["atomic", "map", "set"] = "atomic"
    keys: tuple[str, ...] = ()
    key_defaults: Mapping[str, object] = field(default_factory=dict)
    item: Shape | None = None
    merge_key: str = ""

    def member(self, name: str) -> Shape:
        """The shape of one member of a map."""
        return self.members.get(name) or self.rest or ANYTHING

    @property
    def element(self) -> Shape:
        """The shape of a list's elements."""
        return self.item or ANYTHING

    @property
    def strategic_key(self) -> str:
        """The merge key of strategic merge patches, "" if elements have none."""
        return self.merge_key or (self.keys[0] if self.listed == "map" else "")


ANYTHING = Shape()


def keyed(*keys: str, item: Shape | None = None, defaults: Mapping[str, object] | None = None) -> Shape:
    """A list whose elements are known by one or more keys; the first is also the strategic merge key."""
    return Shape(listed="map", keys=keys, item=item, key_defaults=defaults or {})


def members(**named: Shape) -> Shape:
    """A granular map with special members."""
    return Shape(members=named)


SET = Shape(listed="set")
ATOMIC_MAP = Shape(atomic=True)
