"""The operator's OpenStack session: two tokens at the start, endpoints from the catalogue (operator sheet §4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from lab.hypervisor_operator.conversations import Talk, ask
from lab.hypervisor_operator.requests import Outcome, Request, outcome
from lab.hypervisor_operator.wire import HttpRequest

SERVICES = ("compute", "placement", "image", "network")  # the process does not start without any of them
TEST_PROJECT = {"name": "test", "domain": {"name": "cc3test"}}  # scope of the second token (onboarding)
AGENT = "gophercloud/v2.13.0"  # what the client library calls itself
_NO_ENDPOINT = "No suitable endpoint could be found in the service catalog."
Json = Mapping[str, Any]


class SessionError(Exception):
    """The operator cannot start: Keystone refused it, or the catalogue lacks a service."""


class Session:
    """Requests with a token. Nothing is kept between two processes."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """environment: the OS_* variables of the process."""
        self._environment = environment
        self._token = ""
        self._endpoints: dict[str, str] = {}

    def open(self) -> Talk[None]:
        """Log in, also to the test project; raises SessionError."""
        yield from self._log_in(self._own_project)
        own = (self._token, dict(self._endpoints))
        yield from self._log_in(TEST_PROJECT)
        self._token, self._endpoints = own

    def call(self, request: Request) -> Talk[Outcome]:
        """Send a request; a token that is not accepted any more is renewed once. Raises SessionError if it cannot."""
        url = self._endpoints[request.service] + request.path
        reply = yield from ask(self._http(request, url))
        if reply.status == 401:
            yield from self._log_in(self._own_project)
            reply = yield from ask(self._http(request, url))
        return outcome(request.method, url, request.accepted, reply)

    def _http(self, request: Request, url: str) -> HttpRequest:
        headers = {
            "X-Auth-Token": self._token,
            "Accept": "application/json",
            "User-Agent": AGENT,
            "OpenStack-API-Version": f"{request.service} {request.microversion}",
        }
        if request.service == "compute":
            headers["X-OpenStack-Nova-API-Version"] = request.microversion
        if request.body is None:
            return HttpRequest(request.method, url, headers)
        headers["Content-Type"] = "application/json"
        return HttpRequest(request.method, url, headers, orjson.dumps(request.body))

    @property
    def _own_project(self) -> Json:
        domain = {"name": self._environment.get("OS_PROJECT_DOMAIN_NAME", "")}
        return {"name": self._environment.get("OS_PROJECT_NAME", ""), "domain": domain}

    def _log_in(self, project: Json) -> Talk[None]:
        known = self._environment
        user = {
            "name": known.get("OS_USERNAME", ""),
            "password": known.get("OS_PASSWORD", ""),
            "domain": {"name": known.get("OS_USER_DOMAIN_NAME", "")},
        }
        identity = {"methods": ["password"], "password": {"user": user}}
        body = {"auth": {"identity": identity, "scope": {"project": project}}}
        url = f"{known.get('OS_AUTH_URL', '').rstrip('/')}/auth/tokens"
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": AGENT}
        reply = yield from ask(HttpRequest("POST", url, headers, orjson.dumps(body)))
        came = outcome("POST", url, (201,), reply)
        if came.error:
            raise SessionError(came.error)
        self._token = reply.header("X-Subject-Token")
        catalog = (reply.json.get("token") or {}).get("catalog") or ()
        self._endpoints = {service: _public(catalog, service) for service in SERVICES}


def _public(catalog: Any, service: str) -> str:
    """The first public endpoint of a type, whatever its region; raises SessionError."""
    for entry in catalog:
        if entry["type"] == service:
            for endpoint in entry["endpoints"]:
                if endpoint["interface"] == "public":
                    return str(endpoint["url"]).rstrip("/")
    raise SessionError(_NO_ENDPOINT)
