"""What a selection of tests would change on a cluster, said beforehand (`--dry-run`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from utilities.errors import SuiteError
from utilities.site import Site


class Described(Protocol):
    """Something that can say what it would do; every Change can."""

    def describe(self) -> str:
        """What it would do to what, without asking anybody."""
        ...


Plan = Callable[[Site], Iterable[Described]]
"""The changes that something (a fixture, a need) makes on a site, computed without asking the cluster."""


class Registry:
    """Plans by name. Built from one explicit mapping; nothing registers itself by being imported."""

    def __init__(self, plans: Mapping[str, Plan]) -> None:
        self._plans = dict(plans)

    def changes(self, name: str, site: Site) -> tuple[Described, ...]:
        """The changes of one plan. Raises SuiteError for a name that is not registered."""
        if name not in self._plans:
            raise SuiteError(
                f"no reversible changes are registered as {name!r}; known: {', '.join(sorted(self._plans))}",
                next_step="correct the name, or add it to the mapping the registry is built from",
            )
        return tuple(self._plans[name](site))

    def describe(self, names: Iterable[str], site: Site) -> str:
        """One line a change of the named plans, each change once."""
        lines = dict.fromkeys(change.describe() for name in names for change in self.changes(name, site))
        return "\n".join(lines) or "nothing would be changed"
