"""One request to one service, with what handlers ask of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from multidict import MultiMapping

from lab.openstack.cloud import Cloud
from lab.openstack.compute.callers import Caller
from lab.openstack.http.microversions import Version
from lab.openstack.http.replies import Reply
from lab.openstack.identity.directory import Project
from lab.openstack.identity.tokens import Token
from lab.openstack.refusals import RefusalError

Handler = Callable[["Call"], Reply]


@dataclass(frozen=True, slots=True)
class Call:
    """A request whose token has been looked up. root: URL of the whole front; base: URL of the service."""

    cloud: Cloud
    method: str
    root: str
    base: str
    path: str
    names: Mapping[str, str]  # parts of the path that have a name in the route
    query: MultiMapping[str]
    headers: Mapping[str, str]
    content: bytes
    token: Token | None
    version: Version
    request_id: str

    def at(self, minor: int) -> bool:
        """Whether the request is made at this minor version or above."""
        return self.version[1] >= minor

    def name(self, key: str) -> str:
        """A part of the path."""
        return self.names[key]

    @property
    def project(self) -> Project | None:
        """The project the token is for."""
        scope = self.token.scope if self.token is not None else None
        return scope if isinstance(scope, Project) else None

    @property
    def caller(self) -> Caller:
        """Who asks Nova."""
        token = self.demand_token()
        project = self.project
        return Caller(token.user.id, project.id if project else "", frozenset(token.roles), self.request_id)

    def demand_token(self) -> Token:
        """The token; raises LookupError on a route that is open to all."""
        if self.token is None:
            raise LookupError(f"{self.method} {self.path} has no token")
        return self.token

    def demand(self, *rules: str) -> None:
        """Refuse with 403 unless Nova's policy allows all of it."""
        self.cloud.policies.demand(self.caller, *rules)

    def json(self) -> dict[str, Any]:
        """The body; refuses with 400 what is no JSON object."""
        try:
            body = orjson.loads(self.content)
        except orjson.JSONDecodeError as error:
            raise RefusalError(400, "Malformed request body") from error
        if not isinstance(body, dict):
            raise RefusalError(400, "Malformed request body")
        return body
