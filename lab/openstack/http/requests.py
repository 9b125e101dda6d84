"""How requests are treated: a table of its own, so that an API that fails is a row in front."""

from __future__ import annotations

from dataclasses import dataclass

from lab.controllers.answers import says
from lab.controllers.decisions import Row, Table
from lab.openstack.compute.servers import Server
from lab.openstack.refusals import RefusalError


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that has come in.

    action: of `POST …/action`, else "". before: how often the same was asked earlier. agent: the client's User-Agent.
    """

    service: str
    method: str
    path: str  # within the service
    action: str
    server: Server | None  # the one the path names
    now: float
    before: int
    agent: str = ""


@dataclass(frozen=True, slots=True)
class Treatment:
    """What becomes of it. held: product seconds before anything happens; refusal: instead of serving it;
    lost: it is served, and this is what the client gets."""

    held: float = 0.0
    refusal: RefusalError | None = None
    lost: RefusalError | None = None


SERVED = Treatment()
REQUESTS: Table[Asked] = Table("openstack-requests", (Row("served", lambda _: True, says(SERVED)),))
