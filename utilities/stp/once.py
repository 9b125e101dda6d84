"""`cached_property` without the lock that it takes on Python 3.11: views of a text are made by the ten thousand."""

from collections.abc import Callable
from typing import Generic, TypeVar, overload

_Owner = TypeVar("_Owner")
_Value = TypeVar("_Value")


class once(Generic[_Owner, _Value]):  # noqa: N801  # used like `property`, so named like it
    """A property that is made at its first use and kept in the instance's `__dict__`, which answers from then on."""

    def __init__(self, make: Callable[[_Owner], _Value]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type[_Owner]) -> "once[_Owner, _Value]": ...
    @overload
    def __get__(self, owner: _Owner, kind: type[_Owner]) -> _Value: ...

    def __get__(self, owner: _Owner | None, kind: type[_Owner]) -> "_Value | once[_Owner, _Value]":
        if owner is None:
            return self
        value = self._make(owner)
        owner.__dict__[self._name] = value
        return value
