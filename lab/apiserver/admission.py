"""Admission: what may look at a write, change it or refuse it, before it is committed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from lab.apiserver.resources import Resource

Object = dict[str, Any]
Operation = Literal["CREATE", "UPDATE", "DELETE"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: user name, groups, and the field manager its writes are recorded under."""

    user: str
    groups: tuple[str, ...] = ()
    manager: str = "unknown"

    @property
    def is_admin(self) -> bool:
        """True for `system:masters`, to whom everything is allowed."""
        return "system:masters" in self.groups


SYSTEM = Caller("system:apiserver", ("system:masters",), "lab")


@dataclass(frozen=True, slots=True)
class Review:
    """One write under admission. `old` is None on create, `obj` is the last state on delete."""

    operation: Operation
    resource: Resource
    subresource: str
    obj: Object
    old: Object | None
    caller: Caller
    dry_run: bool = False


Mutator = Callable[[Review], Object]
Validator = Callable[[Review], None]  # raises ApiError to refuse


class Admission:
    """Mutators, then validators, in the order they were added; each bound to a kind, an operation and a subresource."""

    def __init__(self) -> None:
        self._mutators: dict[tuple[tuple[str, str], str, Operation], list[Mutator]] = {}
        self._validators: dict[tuple[tuple[str, str], str, Operation], list[Validator]] = {}

    def mutate_with(
        self, key: tuple[str, str], operations: Iterable[Operation], mutator: Mutator, subresource: str = ""
    ) -> None:
        """Let `mutator` return the object to go on with."""
        for operation in operations:
            self._mutators.setdefault((key, subresource, operation), []).append(mutator)

    def validate_with(
        self, key: tuple[str, str], operations: Iterable[Operation], validator: Validator, subresource: str = ""
    ) -> None:
        """Let `validator` refuse by raising ApiError."""
        for operation in operations:
            self._validators.setdefault((key, subresource, operation), []).append(validator)

    def mutate(self, review: Review) -> Object:
        """The object after all mutators."""
        obj = review.obj
        for mutator in self._mutators.get((review.resource.key, review.subresource, review.operation), ()):
            obj = mutator(review if obj is review.obj else replace(review, obj=obj))
        return obj

    def validate(self, review: Review) -> None:
        """Raise the first refusal."""
        for validator in self._validators.get((review.resource.key, review.subresource, review.operation), ()):
            validator(review)
