"""Who is on a cluster: the runs whose Leases are there, and what each of them has to say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from utilities.clients import LEASES, Rest
from utilities.history import Obj
from utilities.sharing.holders import NOTE, Holders, Stamps
from utilities.sharing.kept import Entries, entries_of

PREFIX = "migration-test-plans-"
"""Every Lease of the suite is called so."""
_JOURNAL = f"{PREFIX}run-"


def journal_name(run: str) -> str:
    """The name of the Lease with a run's journal."""
    return f"{_JOURNAL}{run}"


@dataclass(frozen=True, slots=True)
class Census:
    """journals: Leases by the run whose changes they list. locks: Leases by their name without the prefix."""

    journals: Mapping[str, Obj]
    locks: Mapping[str, Obj]

    @classmethod
    def taken(cls, rest: Rest, namespace: str) -> Self:
        """As it is now. Raises the suite's API errors."""
        leases = {str(found["metadata"]["name"]): found for found in rest.list(LEASES, namespace)["items"]}
        return cls(
            {name.removeprefix(_JOURNAL): lease for name, lease in leases.items() if name.startswith(_JOURNAL)},
            {
                name.removeprefix(PREFIX): lease
                for name, lease in leases.items()
                if name.startswith(PREFIX) and not name.startswith(_JOURNAL)
            },
        )

    def entries(self, run: str) -> Entries:
        """What a run has changed. Raises SiteError when that is not readable."""
        return entries_of(self.journals[run]) if run in self.journals else {}

    def successor(self, run: str) -> str:
        """Who is on the journal of a run: itself, another one, "" for nobody."""
        return Holders.of(self.journals[run]).exclusive if run in self.journals else ""

    def succeeded(self) -> frozenset[str]:
        """Runs whose changes another one is taking back."""
        return frozenset(run for run in self.journals if self.successor(run) not in {"", run})

    def since(self, run: str) -> str:
        """When its journal was made, by the cluster's clock; "" without one."""
        return str(self.journals[run]["metadata"].get("creationTimestamp", "")) if run in self.journals else ""

    def stamps(self) -> Stamps:
        """By run: all that it, or whoever is on its journal, has said; that does not change when nobody is alive."""
        return {run: "; ".join(sorted(self._said(run))) for run in self.runs()}

    def runs(self) -> frozenset[str]:
        """Those who have a journal or are in a lock."""
        return frozenset(self.journals).union(*(Holders.of(lock).stamps() for lock in self.locks.values()))

    def abandoned(self) -> Iterator[str]:
        """Locks whose Lease says how to take back a change that nobody relies on any more."""
        for name, lock in self.locks.items():
            if NOTE in (lock["metadata"].get("annotations") or {}) and not Holders.of(lock).shared:
                yield name

    def _said(self, run: str) -> Iterator[str]:
        if run in self.journals:
            holders = Holders.of(self.journals[run])
            yield f"journal: {holders.exclusive} {holders.renewed}"
        for name, lock in self.locks.items():
            stamp = Holders.of(lock).stamps().get(run)
            if stamp is not None:
                yield f"{name}: {stamp}"
