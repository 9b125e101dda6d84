"""A lab of a profile in this process, on a clock that the test moves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from lab.choice import Choice
from lab.clock import ManualClock
from lab.cluster import Cluster, Ready
from lab.openstack.shape import ServerShape
from lab.profiles import Profile, load


class Composed:
    """A started lab. Its fronts listen; they answer while a test runs the loop."""

    def __init__(self, cluster: Cluster, ready: Ready, clock: ManualClock, loop: asyncio.AbstractEventLoop) -> None:
        self.cluster = cluster
        self.api = cluster.api
        self.clock = clock
        self.ready = ready
        self.loop = loop

    @property
    def site(self) -> dict:
        """The content of the site file."""
        return yaml.safe_load(self.ready.site.read_text())


def shape(name: str = "full", *, arguments: tuple[str, ...] = (), servers: int = 0) -> Profile:
    """A profile whose operator has these flags, and whose first hypervisor has so many servers."""
    profile = load(name)
    operator = profile.hypervisor_operator.model_copy(update={"arguments": arguments})
    cloud = profile.openstack
    if servers:
        vms = ServerShape(name="vm", count=servers, host=cloud.hosts[0].name)
        cloud = cloud.model_copy(update={"servers": (vms,)})
    return profile.model_copy(update={"hypervisor_operator": operator, "openstack": cloud})


@contextmanager
def composed(directory: Path, profile: Profile | None = None, **choice) -> Iterator[Composed]:
    """A lab that has started, and is stopped at the end."""
    with asyncio.Runner() as runner:
        clock = ManualClock()
        cluster = Cluster(Choice(profile or load("full"), **choice), clock)
        ready = runner.run(cluster.start(directory))
        try:
            yield Composed(cluster, ready, clock, runner.get_loop())
        finally:
            runner.run(cluster.stop())
