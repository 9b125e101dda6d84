"""A site's cloud as its administrator: the nouns of Nova and Placement in one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from utilities.nova.connection import Cloud, connect_cloud
from utilities.nova.hosts import Hosts
from utilities.nova.migrations import Migrations
from utilities.nova.polling import Polls
from utilities.nova.servers import Servers
from utilities.nova.templates import ANYTHING, Wanted
from utilities.nova.traits import Traits
from utilities.reversible import UNWRITTEN, Journal
from utilities.site import Site, Timeouts


@dataclass(frozen=True, slots=True)
class Nova:
    """Servers, their migrations, the hosts they are on, and the traits of these.

    journal: where a lab tells exactly what happened, None on a real cloud.
    """

    cloud: Cloud
    servers: Servers
    migrations: Migrations
    hosts: Hosts
    traits: Traits
    polls: Polls
    journal: str | None = None

    @classmethod
    def of(
        cls,
        cloud: Cloud,
        polls: Polls,
        timeouts: Timeouts,
        *,
        run: str,
        wanted: Wanted = ANYTHING,
        journal: str | None = None,
        undo: Journal = UNWRITTEN,
    ) -> Self:
        """On a connection. run: what the names of servers made here carry; wanted: what they are made of.

        undo: where changes are written down until they are taken back.
        """
        return cls(
            cloud,
            Servers(cloud, polls, timeouts, run, wanted, undo=undo),
            Migrations(cloud, polls, timeouts),
            Hosts(cloud, polls, undo),
            Traits(cloud, undo),
            polls,
            journal,
        )


@contextmanager
def connected_nova(site: Site, run: str, undo: Journal = UNWRITTEN) -> Iterator[Nova]:
    """The site's cloud, checked to answer. Raises Blocked when the site has none, SiteError, Unreachable.

    run, undo: as for `Nova.of`.
    """
    section = site.openstack
    with connect_cloud(
        section.clouds, section.cloud, request_timeout=section.request_timeout, time_scale=site.time_scale
    ) as cloud:
        wanted = Wanted(section.flavor, section.image, section.network, section.config_drive)
        yield Nova.of(cloud, Polls.of(site), site.timeouts, run=run, wanted=wanted, journal=section.journal, undo=undo)
