"""Which handler answers a request."""

from __future__ import annotations

from aiohttp import web

from lab.apiserver.api import Api
from lab.apiserver.discovery import legacy
from lab.apiserver.discovery.versions import grouped
from lab.apiserver.errors import ApiError
from lab.apiserver.http import objects
from lab.apiserver.http.calls import Call
from lab.apiserver.http.replies import json_reply, text_reply
from lab.apiserver.http.watching import Watches
from lab.apiserver.resources import Resource

VERSION = {
    "major": "1",
    "minor": "33",
    "gitVersion": "v1.33.0",
    "gitCommit": "60a317eadfcb839692a68eab88b2096f4d708f4f",
    "gitTreeState": "clean",
    "buildDate": "2025-04-23T13:00:00Z",
    "goVersion": "go1.24.2",
    "compiler": "gc",
    "platform": "linux/amd64",
}
_HEALTH = ("healthz", "livez", "readyz")


class Router:
    """Answers the requests of one server. `address` (`host:port`) is set once it listens."""

    def __init__(self, api: Api) -> None:
        self.address = ""
        self._api = api
        self._watches = Watches(api)

    def close(self) -> None:
        """End every watch."""
        self._watches.close()

    async def answer(self, call: Call) -> web.StreamResponse:
        """The reply to a call; raises ApiError to refuse."""
        if call.target is None:
            return self._other(call.parts)
        target = call.target
        resource = self._api.catalogue.find(target.group, target.version, target.plural)
        if resource is None:
            raise ApiError(404, "NotFound", "the server could not find the requested resource", {})
        if call.method == "GET" and call.flag("watch") and not target.name:
            return await self._watches.stream(call, resource)
        return await objects.answer(self._api, call, resource)

    def _other(self, parts: tuple[str, ...]) -> web.Response:
        match parts:
            case ():
                return json_reply({"paths": ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/readyz", "/version"]})
            case ("version",):
                return json_reply(VERSION)
            case (health, *_) if health in _HEALTH:
                return text_reply("ok")
            case ("api",):
                return json_reply(legacy.api_versions(self.address))
            case ("apis",):
                return json_reply(legacy.group_list(self._groups()))
            case ("apis", group) if group in self._groups():
                return json_reply(legacy.api_group(group, self._groups()[group]))
            case ("api", "v1"):
                return self._list("", "v1")
            case ("apis", group, version) if version in self._groups().get(group, ()):
                return self._list(group, version)
        return text_reply("404 page not found\n", 404)

    def _groups(self) -> dict[str, tuple[str, ...]]:
        return grouped((resource.group, resource.version) for resource in self._api.catalogue if resource.group)

    def _list(self, group: str, version: str) -> web.Response:
        kinds = [resource for resource in self._api.catalogue.in_group(group) if resource.version == version]
        entries = [entry for resource in kinds for entry in legacy.resource_entries(resource)]
        return json_reply(legacy.resource_list(_group_version(kinds), entries))


def _group_version(kinds: list[Resource]) -> str:
    return kinds[0].api_version
