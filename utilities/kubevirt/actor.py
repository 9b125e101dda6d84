"""Somebody who acts on a site: a user's connection, and waits in the site's product time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from utilities.clients import Cluster, Rest
from utilities.history import Obj
from utilities.reversible import Change, Reversible
from utilities.site import Site
from utilities.watching import Waits


@dataclass(frozen=True, slots=True)
class Actor:
    """One user on one site."""

    site: Site
    cluster: Cluster

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
        with Reversible(self.waits, deletion=self.site.timeouts.deletion) as changes:
            yield changes.apply(change)
