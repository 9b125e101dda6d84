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
from lab.profiles import load


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


@contextmanager
def composed(directory: Path, profile: str = "full", arguments: tuple[str, ...] = (), **choice) -> Iterator[Composed]:
    """A lab that has started, and is stopped at the end. arguments: flags of the hypervisor operator."""
    shape = load(profile)
    if arguments:
        operator = shape.hypervisor_operator.model_copy(update={"arguments": arguments})
        shape = shape.model_copy(update={"hypervisor_operator": operator})
    with asyncio.Runner() as runner:
        clock = ManualClock()
        cluster = Cluster(Choice(shape, **choice), clock)
        ready = runner.run(cluster.start(directory))
        try:
            yield Composed(cluster, ready, clock, runner.get_loop())
        finally:
            runner.run(cluster.stop())
