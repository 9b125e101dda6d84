"""Everything that is no resource: version, health, discovery, OpenAPI (sheet §1.1 to §1.3)."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from lab.apiserver.discovery import aggregated, legacy, openapi
from lab.apiserver.discovery.versions import grouped
from lab.apiserver.http.aggregated import Aggregated
from lab.apiserver.http.calls import Call
from lab.apiserver.http.replies import json_reply, raw_reply, text_reply
from lab.apiserver.resources import Catalogue

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
HEALTH = ("healthz", "livez", "readyz")
_ROOT = ("/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version")


class Documents:
    """Answers them for one server. `address` is `host:port` as clients reach it."""

    def __init__(self, catalogue: Catalogue, others: list[Aggregated], ready: Callable[[], bool]) -> None:
        self.address = ""
        self._catalogue = catalogue
        self._others = others
        self._ready = ready
        self._openapi = openapi.Documents()

    def answer(self, call: Call) -> web.Response:
        """The reply; 404 for an unknown path."""
        match call.parts:
            case ():
                groups = [f"/apis/{group}" for group in self._groups()]
                return json_reply({"paths": sorted((*_ROOT, *groups))})
            case ("version",):
                return json_reply(VERSION)
            case (health, *_) if health in HEALTH:
                return text_reply("ok") if self._ready() else text_reply("not ready", 500)
            case ("openapi", *rest):
                return self._open_api(call, "/".join(rest))
            case ("api",) | ("apis",):
                return self._discovery(call)
            case ("apis", group) if group in self._groups():
                return json_reply(legacy.api_group(group, self._groups()[group]))
            case ("api", "v1"):
                return self._resources("", "v1")
            case ("apis", group, version) if version in self._groups().get(group, ()):
                return self._resources(group, version)
        return not_found()

    def _groups(self) -> dict[str, tuple[str, ...]]:
        kinds = ((resource.group, resource.version) for resource in self._catalogue if resource.group)
        others = ((other.group, version) for other in self._others for version in other.versions)
        return grouped((*kinds, *others))

    def _discovery(self, call: Call) -> web.Response:
        version = aggregated.version_of(call.http.headers.get("Accept"))
        core = call.parts == ("api",)
        if version is not None:
            kinds = tuple(self._catalogue)
            groups = {"": ("v1",)} if core else grouped((kind.group, kind.version) for kind in kinds if kind.group)
            body = aggregated.document(version, groups, kinds)
            return json_reply(body, content_type=aggregated.content_type(version))
        return json_reply(legacy.api_versions(self.address) if core else legacy.group_list(self._groups()))

    def _resources(self, group: str, version: str) -> web.Response:
        kinds = [resource for resource in self._catalogue.in_group(group) if resource.version == version]
        entries = [entry for resource in kinds for entry in legacy.resource_entries(resource)]
        for other in self._others:
            if other.group == group and version in other.versions:
                entries.extend(other.entries())
        return json_reply(legacy.resource_list(f"{group}/{version}" if group else version, entries))

    def _open_api(self, call: Call, path: str) -> web.Response:
        accept = call.http.headers.get("Accept")
        if path == "v2":
            if openapi.wants_protobuf(accept):
                return raw_reply(openapi.V2_PROTOBUF, content_type=openapi.V2_CONTENT_TYPE)
            return json_reply(openapi.v2())
        if path == "v3":
            return json_reply(self._openapi.root(self._catalogue))
        document = self._openapi.document(path.removeprefix("v3/"), self._catalogue) if path[:3] == "v3/" else None
        return not_found() if document is None else raw_reply(document)


def not_found() -> web.Response:
    """The plain 404 of a path that is nothing."""
    return text_reply("404 page not found\n", 404)
