"""One cloud behind its front in a thread of its own: what the HTTP tests talk to."""

from __future__ import annotations

import asyncio
import http.client
import json
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.apiserver.certificates import Authority
from lab.clock import ManualClock
from lab.controllers.decisions import Faults
from lab.openstack.access import variables
from lab.openstack.install import OpenStack, install
from lab.openstack.shape import CloudShape

TIMEOUT = 10.0  # wall seconds before a silent server is a failure


class LiveCloud:
    """A cloud on a manual clock. `call` runs a function in the server's thread, between two requests."""

    def __init__(self, shape: CloudShape, *, faults: Faults | None = None, authority: Authority | None = None,
                 directory: Path | None = None, seed: int = 1) -> None:  # fmt: skip
        self.clock = ManualClock()
        self.openstack: OpenStack = install(self.clock, shape, seed=seed, faults=faults, authority=authority)
        self.cloud = self.openstack.cloud
        self.clouds_yaml: Path | None = None
        self._directory = directory
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lab-openstack", daemon=True)

    def __enter__(self) -> LiveCloud:
        self._thread.start()
        self._run(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self.openstack.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        return self.openstack.front.url

    def call(self, function: Callable, *args: object):
        async def run():
            return function(*args)

        return self._run(run())

    def advance(self, seconds: float) -> None:
        """Let product time pass."""
        self.call(self.clock.advance, seconds)

    def client(self, user: str = "admin", project: str = "admin", **headers: str) -> Client:
        """A client with a token."""
        client = Client(self.url, self.openstack.front.authority)
        found = next(one for one in self.cloud.directory.users if one.name == user)
        client.log_in(user, found.password, project)
        client.headers |= headers
        return client

    def variables(self) -> dict[str, str]:
        return variables(self.cloud, self.openstack.front.auth_url)

    def server_id(self, name: str) -> str:
        return next(server.id for server in self.cloud.state.servers() if server.name == name)

    async def _start(self) -> None:
        if self._directory is not None:
            self.clouds_yaml = await self.openstack.start(self._directory)
        else:
            await self.openstack.front.start()

    def _run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(TIMEOUT)


@dataclass(frozen=True)
class Answer:
    """A reply: status, headers (names in lower case), body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Plain HTTP, one connection a request."""

    def __init__(self, url: str, authority: Authority | None = None) -> None:
        self._place = url.partition("://")[2]
        self._tls = ssl.create_default_context(cadata=authority.pem.decode()) if authority is not None else None
        self.headers: dict[str, str] = {}

    def log_in(self, user: str, password: str, project: str, domain: str = "Default") -> Answer:
        """Take a token for a project."""
        who = {"name": user, "password": password, "domain": {"name": "Default"}}
        answer = self.send("POST", "/identity/v3/auth/tokens", {"auth": {
            "identity": {"methods": ["password"], "password": {"user": who}},
            "scope": {"project": {"name": project, "domain": {"name": domain}}},
        }})  # fmt: skip
        assert answer.status == 201, answer.body
        self.headers["X-Auth-Token"] = answer.headers["x-subject-token"]
        return answer

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        kind = http.client.HTTPSConnection if self._tls is not None else http.client.HTTPConnection
        extra = {"context": self._tls} if self._tls is not None else {}
        connection = kind(self._place, timeout=TIMEOUT, **extra)
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = {**self.headers, **headers, **({"Content-Type": "application/json"} if data is not None else {})}
        connection.request(method, path, data, sent)
        reply = connection.getresponse()
        answer = Answer(reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read())
        connection.close()
        return answer

    def nova(self, method: str, path: str, body: Any = None, version: str = "2.90") -> Answer:
        return self.send(method, f"/compute/v2.1{path}", body, **{"OpenStack-API-Version": f"compute {version}"})

    def placement(self, method: str, path: str, body: Any = None, version: str = "1.39") -> Answer:
        return self.send(method, f"/placement{path}", body, **{"OpenStack-API-Version": f"placement {version}"})

    def act(self, server_id: str, body: Any, version: str = "2.90") -> Answer:
        return self.nova("POST", f"/servers/{server_id}/action", body, version)
