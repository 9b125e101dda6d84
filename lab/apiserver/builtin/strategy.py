"""The strategy of a built-in kind, put together from a shape and two functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from lab.apiserver.admission import Object
from lab.apiserver.builtin.decoding import decoded
from lab.apiserver.builtin.shapes import OBJECT
from lab.apiserver.custom.schemas.types import Schema
from lab.apiserver.errors import Cause
from lab.apiserver.resources import Resource


def _as_it_is(new: Object, _: Object | None) -> Object:
    return new


def _nothing(_: Object, __: Object | None) -> Iterable[Cause]:
    return ()


@dataclass(frozen=True, slots=True)
class BuiltinStrategy:
    """Rules of one built-in kind.

    `shape`: types and fixed defaults. `complete`: defaults that depend on other fields, and what the server sets.
    `check`: what is wrong. Both functions get the new object and the old one (None on create).
    """

    resource: Resource
    shape: Schema = field(default_factory=lambda: OBJECT)
    complete: Callable[[Object, Object | None], Object] = _as_it_is
    check: Callable[[Object, Object | None], Iterable[Cause]] = _nothing

    def prepare(self, new: Object, old: Object | None) -> Object:
        """The object with its defaults; raises 400 where a value has the wrong type. What `old` shares is not read."""
        known = {} if old is None else {key: value for key, value in new.items() if old.get(key) is value}
        fresh = {key: value for key, value in new.items() if key not in known}
        return self.complete({**decoded(self.resource, self.shape, fresh), **known}, old)

    def validate(self, new: Object, old: Object | None) -> Sequence[Cause]:
        """What is wrong with it."""
        return tuple(self.check(new, old))

    def unknown_fields(self, new: Object) -> Sequence[str]:  # noqa: ARG002  the protocol's shape
        """Built-in kinds ignore what they do not know (sheet §2.4)."""
        return ()
