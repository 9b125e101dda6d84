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

    def move(self, name: Name, old: Mapping[str, object] | None, new: Mapping[str, object] | None) -> None:
        """An object appeared (`old` is None), changed, or went (`new` is None)."""
        before = None if old is None else self._extract(old)
        after = None if new is None else self._extract(new)
        if before == after:
            return
        if before is not None:
            names = self._names[before]
            names.discard(name)
            if not names:
                del self._names[before]
        if after is not None:
            self._names.setdefault(after, set()).add(name)

    def names(self, value: str) -> list[Name]:
        """Names with this value, ordered by namespace, then name."""
        return sorted(self._names.get(value, ()))
