"""Somebody who acts on a site: a user's connection, and waits in the site's product time."""

from __future__ import annotations

from dataclasses import dataclass

from utilities.clients import Cluster, Rest
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
