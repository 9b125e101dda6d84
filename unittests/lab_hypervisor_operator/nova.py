"""A cloud in a few lines: Keystone that says yes, Nova with one drained host and one that takes everything, Placement.

What a server does when it is asked to move is said by the test; what Nova was asked is kept for it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from lab.clock import Clock, ManualClock
from lab.hypervisor_operator.wire import TOOK, Answered, HttpReply, HttpRequest

URL = "http://cloud.test"
HYPERVISOR_ID = "11111111-1111-4111-8111-111111111111"
SERVICE_ID = "22222222-2222-4222-8222-222222222222"
SOURCE, TARGET = "hv-1", "hv-2"


@dataclass
class Server:
    """One server. `moves`: what becomes of a live migration: away, back, error."""

    uuid: str
    status: str = "ACTIVE"
    task: str | None = None
    power: int = 1
    host: str | None = f"{SOURCE}.example.test"
    fault: str = ""
    moves: str = "away"


@dataclass
class Post:
    """An accepted or refused request about a server."""

    at: float
    uuid: str
    verb: str
    code: int


@dataclass
class Cloud:
    """`takes`: product seconds of a migration; `broken`: replies by (method, path ending), used up one by one."""

    clock: ManualClock
    takes: float = 25.0
    servers: dict[str, Server] = field(default_factory=dict)
    requests: list[tuple[float, str, str]] = field(default_factory=list)
    posts: list[Post] = field(default_factory=list)
    flights: list[tuple[float, float, str]] = field(default_factory=list)
    service: dict[str, Any] = field(default_factory=lambda: {"status": "enabled", "forced_down": True})
    service_changes: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    traits: list[str] = field(default_factory=lambda: ["COMPUTE_NODE"])
    generation: int = 7
    aggregates: list[dict[str, Any]] = field(default_factory=list)
    migrations: list[dict[str, Any]] = field(default_factory=list)
    intercept: Callable[[HttpRequest], HttpReply | str | None] | None = None
    logins: int = 0
    refuse_logins: bool = False
    known: bool = True
    admin: bool = True  # others are not told where a server is
    _open: dict[str, float] = field(default_factory=dict)

    def add(self, *uuids: str, **fields: Any) -> None:
        """Servers on the source host."""
        for uuid in uuids:
            self.servers[uuid] = Server(uuid, **fields)

    def handle(self, request: HttpRequest) -> HttpReply | None:
        """Answer one request; None: hang."""
        path = request.url.removeprefix(URL)
        self.requests.append((self.clock.now(), request.method, path))
        if self.intercept is not None:
            found = self.intercept(request)
            if found == "hang":
                return None
            if isinstance(found, HttpReply):
                return found
        return self._route(request.method, path, orjson.loads(request.body) if request.body else {})

    def peak(self) -> int:
        """Most migrations at one instant, from the accepted request to the departure or failure."""
        ends = [*self.flights, *((begun, float("inf"), uuid) for uuid, begun in self._open.items())]
        return max((sum(a <= begun < b for a, b, _ in ends) for begun, _, _ in ends), default=0)

    def verbs(self, uuid: str, code: int = 202) -> list[str]:
        """Requests about one server that got this code."""
        return [post.verb for post in self.posts if post.uuid == uuid and post.code == code]

    def left(self) -> list[str]:
        """Servers that Nova lists on the source host."""
        return [server.uuid for server in self.servers.values() if (server.host or "").startswith(f"{SOURCE}.")]

    def land(self, uuid: str, **fields: Any) -> None:
        """A server appears on the source host."""
        self.servers[uuid] = Server(uuid, **fields)

    def remove(self, uuid: str) -> None:
        """A server is gone."""
        self.servers.pop(uuid, None)
        self._over(uuid)

    def end(self, uuid: str) -> None:
        """The migration of a server ends now."""
        server = self.servers.get(uuid)
        if server is None or uuid not in self._open:
            return
        self._over(uuid)
        server.task = None
        server.status = "ACTIVE" if server.power == 1 else "SHUTOFF"
        if server.moves == "away":
            server.host = f"{TARGET}.example.test"
            server.status = server.status if server.power == 1 else "VERIFY_RESIZE"
        elif server.moves == "error":
            server.status, server.fault = "ERROR", "it broke"

    def _over(self, uuid: str) -> None:
        begun = self._open.pop(uuid, None)
        if begun is not None:
            self.flights.append((begun, self.clock.now(), uuid))

    def _route(self, method: str, path: str, body: dict[str, Any]) -> HttpReply:
        parts = path.partition("?")[0].strip("/").split("/")
        match (method, *parts):
            case ("POST", "v3", "auth", "tokens"):
                return self._token()
            case ("GET", "compute", "os-hypervisors", uuid) if uuid == HYPERVISOR_ID and self.known:
                listed = [{"uuid": found, "name": found} for found in self.left()]
                return _json(200, {"hypervisor": {"id": uuid, "servers": listed}})
            case ("GET", "compute", "servers", uuid) if uuid in self.servers:
                return _json(200, {"server": _shown(self.servers[uuid], self.admin)})
            case ("POST", "compute", "servers", uuid, "action"):
                reply = self._action(uuid, next(iter(body)))
                self.posts.append(Post(self.clock.now(), uuid, next(iter(body)), reply.status))
                return reply
            case ("PUT", "compute", "os-services", uuid) if uuid == SERVICE_ID:
                self.service |= body
                self.service_changes.append((self.clock.now(), body))
                return _json(200, {"service": self.service})
            case ("GET", "compute", "os-aggregates"):
                return _json(200, {"aggregates": self.aggregates})
            case ("POST", "compute", "os-aggregates", number, "action"):
                return self._change_aggregate(int(number), body)
            case ("GET", "compute", "os-migrations"):
                return _json(200, {"migrations": self.migrations})
            case ("GET", "placement", "resource_providers", _, "traits"):
                return _json(200, {"traits": self.traits, "resource_provider_generation": self.generation})
            case ("PUT", "placement", "resource_providers", _, "traits"):
                return self._set_traits(body)
        return _json(404, {"itemNotFound": {"code": 404, "message": f"{path} could not be found."}})

    def _action(self, uuid: str, verb: str) -> HttpReply:
        server = self.servers.get(uuid)
        if server is None:
            return _json(404, {"itemNotFound": {"code": 404, "message": f"Instance {uuid} could not be found."}})
        if verb == "confirmResize":
            server.status = "SHUTOFF"
            return _json(204, {})
        if server.task or server.status not in ("ACTIVE", "SHUTOFF", "PAUSED"):
            return _json(409, {"conflictingRequest": {"code": 409, "message": f"Cannot '{verb}' instance {uuid}"}})
        if verb == "migrate" and server.status == "PAUSED":
            return _json(409, {"conflictingRequest": {"code": 409, "message": f"Cannot '{verb}' instance {uuid}"}})
        live = verb == "os-migrateLive"
        server.status, server.task = ("MIGRATING", "migrating") if live else ("RESIZE", "resize_prep")
        self._open[uuid] = self.clock.now()
        self.clock.call_later(self.takes, self.end, uuid)
        return _json(202, {})

    def _change_aggregate(self, number: int, body: dict[str, Any]) -> HttpReply:
        (found,) = [one for one in self.aggregates if one["id"] == number]
        ((verb, host),) = body.items()
        if verb == "add_host":
            found["hosts"].append(host["host"])
        else:
            found["hosts"].remove(host["host"])
        return _json(200, {"aggregate": found})

    def _set_traits(self, body: dict[str, Any]) -> HttpReply:
        if body["resource_provider_generation"] != self.generation:
            return _json(409, {"errors": [{"status": 409, "code": "placement.concurrent_update"}]})
        self.traits, self.generation = body["traits"], self.generation + 1
        return _json(200, {"traits": self.traits, "resource_provider_generation": self.generation})

    def _token(self) -> HttpReply:
        self.logins += 1
        if self.refuse_logins:
            return _json(401, {"error": {"code": 401, "title": "Unauthorized"}})
        catalog = [
            {"type": kind, "endpoints": [{"interface": "public", "region": "any", "url": f"{URL}/{kind}/"}]}
            for kind in ("compute", "placement", "image", "network")
        ]
        return _json(201, {"token": {"catalog": catalog}}, {"x-subject-token": f"token-{self.logins}"})


def _shown(server: Server, admin: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": server.uuid,
        "status": server.status,
        "OS-EXT-STS:task_state": server.task,
        "OS-EXT-STS:power_state": server.power,
    }
    if admin:
        shown["OS-EXT-SRV-ATTR:hypervisor_hostname"] = server.host
    return {**shown, "fault": {"message": server.fault}} if server.fault else shown


def _json(code: int, body: Any, headers: dict[str, str] | None = None) -> HttpReply:
    return HttpReply(code, headers or {}, orjson.dumps(body) if body else b"")


def failing(method: str, ending: str, code: int = 503, times: int = 1) -> Callable[[HttpRequest], HttpReply | None]:
    """An interceptor: the first so many requests of that kind fail."""
    left = [times]

    def intercept(request: HttpRequest) -> HttpReply | None:
        if request.method == method and request.url.partition("?")[0].endswith(ending) and left[0]:
            left[0] -= 1
            return _json(code, {"computeFault": {"code": code, "message": "no"}})
        return None

    return intercept


class Direct:
    """A server in the same process. A request arrives half-way through the time it takes; its reply comes at the end.

    A request that was sent arrives even if its sender has ended meanwhile. `handle` may return None: the server hangs.
    """

    def __init__(
        self,
        handle: Callable[[HttpRequest], HttpReply | None],
        clock: Clock,
        rng: random.Random,
        took: tuple[float, float] = TOOK,
    ) -> None:
        self._handle = handle
        self._clock = clock
        self._rng = rng
        self._took = took

    def send(self, request: HttpRequest, answered: Answered) -> None:
        """As the protocol says."""
        half = self._rng.uniform(*self._took) / 2
        self._clock.call_later(half, self._arrive, request, answered, half)

    def _arrive(self, request: HttpRequest, answered: Answered, half: float) -> None:
        reply = self._handle(request)
        if reply is not None:
            self._clock.call_later(half, answered, reply)
