"""Somebody who acts on a site: a user's connection, and waits in the site's product time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from utilities.clients import Cluster, Rest
from utilities.history import Obj
from utilities.reversible import UNWRITTEN, Change, Entry, Journal, Reversible
from utilities.site import Site
from utilities.watching import Waits


@dataclass(frozen=True, slots=True)
class Actor:
    """One user on one site. journal: of the process that it acts in."""

    site: Site
    cluster: Cluster
    journal: Journal = UNWRITTEN

    @property
    def rest(self) -> Rest:
        """Plain requests as this user."""
        return self.cluster.rest

    @property
    def waits(self) -> Waits:
        """Waits as this user; their deadlines are product seconds."""
        return Waits(self.cluster.rest, self.site.wall)

    @contextmanager
    def applied(self, change: Change) -> Iterator[Obj]:
        """Make one change for the length of the block; yields the object as it is then."""
        with self.reversible() as changes:
            yield changes.apply(change)

    def reversible(self) -> Reversible:
        """For changes that are taken back at the end of a block."""
        return Reversible(self.waits, deletion=self.site.timeouts.deletion, journal=self.journal)

    @contextmanager
    def awaited(self, entry: Entry) -> Iterator[None]:
        """Around a change: should this process be killed, whoever takes it back does this afterwards, as it says."""
        key = self.journal.written(entry)
        try:
            yield
        finally:
            with self.journal.undoing(key):
                pass
