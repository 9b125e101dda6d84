"""An index of one kind by one value of its objects, so that a selector need not look at every object."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Extract = Callable[[Mapping[str, object]], str | None]
Name = tuple[str, str]  # (namespace or "", name)


class Index:
    """Names of objects by the value `extract` gives; None leaves an object out."""

    def __init__(self, extract: Extract) -> None:
        self._extract = extract
        self._names: dict[str, set[Name]] = {}

    def add(self, name: Name, obj: Mapping[str, object]) -> None:
        """An object appeared, or has this new state."""
        value = self._extract(obj)
        if value is not None:
            self._names.setdefault(value, set()).add(name)

    def drop(self, name: Name, obj: Mapping[str, object]) -> None:
        """An object went, or no longer has this old state."""
        value = self._extract(obj)
        names = self._names.get(value) if value is not None else None
        if value is not None and names is not None:
            names.discard(name)
            if not names:
                del self._names[value]

    def names(self, value: str) -> list[Name]:
        """Names with this value, ordered by namespace, then name."""
        return sorted(self._names.get(value, ()))
