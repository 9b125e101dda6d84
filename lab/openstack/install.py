"""OpenStack in a lab, in one call: a cloud, its front, and the files that lead to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.apiserver.certificates import Authority
from lab.clock import Clock
from lab.controllers.decisions import Faults
from lab.openstack.access import variables, write_clouds
from lab.openstack.cloud import Cloud, build
from lab.openstack.http.front import Front
from lab.openstack.shape import CloudShape


@dataclass(frozen=True, slots=True)
class OpenStack:
    """A cloud with its front. `start` and `stop` belong to the lab's own."""

    cloud: Cloud
    front: Front

    async def start(self, directory: Path, port: int = 0) -> Path:
        """Serve; returns the path of the clouds.yaml that has been written into `directory`."""
        await self.front.start(port=port)
        authority = self.front.authority
        pem = authority.pem if authority is not None else None
        return write_clouds(self.cloud, self.front.auth_url, directory, pem)

    async def stop(self) -> None:
        """End it."""
        await self.front.stop()

    def variables(self) -> dict[str, str]:
        """OS_* for programs that read no file."""
        return variables(self.cloud, self.front.auth_url)


def install(
    clock: Clock, shape: CloudShape, *, seed: int, faults: Faults | None = None, authority: Authority | None = None
) -> OpenStack:
    """A cloud on the lab's clock. With an authority it is served over HTTPS, which the operator's binary cannot check.

    Raises ShapeError for a shape whose parts do not fit together.
    """
    cloud = build(clock, shape, seed=seed, faults=faults)
    return OpenStack(cloud, Front(cloud, seed=seed, authority=authority))
