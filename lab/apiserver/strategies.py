"""What each kind adds to a write: defaults and pruning before admission, validation after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from lab.apiserver.admission import Object
from lab.apiserver.errors import Cause
from lab.apiserver.resources import Resource


class Strategy(Protocol):
    """Rules of one kind. Objects passed in are never changed in place."""

    def prepare(self, new: Object, old: Object | None) -> Object:
        """The object with unknown fields pruned and defaults filled in (`old` None: on create)."""

    def validate(self, new: Object, old: Object | None) -> Sequence[Cause]:
        """What is wrong with it; empty: nothing."""

    def unknown_fields(self, new: Object) -> Sequence[str]:
        """Paths (`spec.foo`) that `prepare` would prune, for fieldValidation Strict and Warn."""


class Strategies:
    """Strategies by kind; custom resources bring and take theirs at run time."""

    def __init__(self, strategies: Mapping[tuple[str, str, str], Strategy] | None = None) -> None:
        self._strategies = dict(strategies or {})

    def set(self, resource: Resource, strategy: Strategy) -> None:
        """Use this strategy for this kind and version."""
        self._strategies[resource.group, resource.version, resource.plural] = strategy

    def of(self, resource: Resource) -> Strategy | None:
        """The strategy of a kind, None: no rules beyond metadata."""
        return self._strategies.get((resource.group, resource.version, resource.plural))
