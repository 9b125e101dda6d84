"""A Kubernetes API as plain paths and JSON: for watches, and for what the wrapper cannot do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

import orjson
import urllib3

from utilities.clients.following import Following
from utilities.clients.resources import Resource
from utilities.clients.translation import broken, refusal

PatchKind = Literal["merge", "json", "strategic"]
_PATCH_TYPES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}
Query = Mapping[str, str | int | bool | None]


@dataclass(frozen=True, slots=True)
class Rest:
    """One user's view of one API server. Thread-safe; errors are the suite's own (ApiError, Unreachable, SiteError).

    headers: called for every request, so that a token may be renewed. timeout: wall seconds for an answer.
    """

    url: str
    pool: urllib3.PoolManager
    headers: Callable[[], Mapping[str, str]] = dict
    timeout: float = 60.0

    def call(
        self, method: str, path: str, *, query: Query | None = None, body: object = None, content_type: str = ""
    ) -> Any:
        """Any request: the decoded JSON of the answer, None for an empty one. For subresources such as `…/migrate`."""
        answer = self._answer(method, path, query, body, content_type or "application/json")
        try:
            return orjson.loads(answer.data) if answer.data else None
        except orjson.JSONDecodeError as error:
            raise refusal(self.url, f"{method} {path}", answer.status, answer.data) from error

    def text(self, path: str, *, query: Query | None = None) -> str:
        """GET something that is no JSON, such as the log of a pod."""
        return self._answer("GET", path, query, None, None).data.decode(errors="replace")

    def get(self, resource: Resource, name: str, namespace: str | None = None) -> dict[str, Any]:
        """One object. Raises NotFound."""
        return dict(self.call("GET", resource.path(namespace, name)))

    def list(
        self, resource: Resource, namespace: str | None = None, *, labels: str | None = None, fields: str | None = None
    ) -> dict[str, Any]:
        """The current list object of a collection: `items`, and `metadata.resourceVersion` to watch from."""
        query = {"labelSelector": labels, "fieldSelector": fields}
        return dict(self.call("GET", resource.path(namespace), query=query))

    def create(
        self, resource: Resource, body: Mapping[str, Any], namespace: str | None = None, *, dry_run: bool = False
    ) -> dict[str, Any]:
        """Create an object; kind and apiVersion are filled in. Raises Conflict if it exists."""
        whole = {"apiVersion": resource.api_version, "kind": resource.kind, **body}
        query = {"dryRun": "All" if dry_run else None}
        return dict(self.call("POST", resource.path(namespace), query=query, body=whole))

    def patch(
        self,
        resource: Resource,
        name: str,
        body: object,
        namespace: str | None = None,
        *,
        kind: PatchKind = "merge",
        subresource: str | None = None,
    ) -> dict[str, Any]:
        """Patch an object; a metadata.resourceVersion in a merge patch makes it conditional (Conflict if stale)."""
        path = resource.path(namespace, name, subresource)
        return dict(self.call("PATCH", path, body=body, content_type=_PATCH_TYPES[kind]))

    def delete(self, resource: Resource, name: str, namespace: str | None = None, *, uid: str | None = None) -> None:
        """Ask for deletion; only of the object with that uid, if given. Raises NotFound. Does not wait."""
        body = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": uid}} if uid else None
        self.call("DELETE", resource.path(namespace, name), body=body)

    def follow(
        self,
        resource: Resource,
        namespace: str | None = None,
        *,
        version: str,
        labels: str | None = None,
        fields: str | None = None,
        seconds: float = 300.0,
        silence: float = 75.0,
    ) -> Following:
        """Open a watch from a resourceVersion: one connection, which ends by itself after about `seconds`.

        silence: wall seconds without a byte after which the connection is given up. Returns once the server has
        accepted. Use `utilities.watching` for anything that has to survive the end of a connection.
        """
        path = resource.path(namespace)
        query: dict[str, str | int | bool | None] = {
            "watch": True,
            "allowWatchBookmarks": True,
            "resourceVersion": version,
            "timeoutSeconds": max(1, round(seconds)),
            "labelSelector": labels,
            "fieldSelector": fields,
        }
        try:
            answer = self.pool.request(
                "GET",
                self._url(path, query),
                headers=self._headers(),
                timeout=urllib3.Timeout(connect=self.timeout, read=silence),
                retries=False,
                preload_content=False,
            )
        except urllib3.exceptions.HTTPError as error:
            raise broken(self.url, f"WATCH {path}", error) from error
        if answer.status >= 400:
            body = answer.data
            answer.release_conn()
            raise refusal(self.url, f"WATCH {path}", answer.status, body)
        return Following(self.url, f"WATCH {path}", answer)

    def _answer(
        self, method: str, path: str, query: Query | None, body: object, content_type: str | None
    ) -> urllib3.BaseHTTPResponse:
        """A whole answer; a refusal is raised."""
        doing = f"{method} {path}"
        try:
            answer = self.pool.request(
                method,
                self._url(path, query),
                body=None if body is None else orjson.dumps(body),
                headers=self._headers(content_type),
                timeout=self.timeout,
                retries=False,
            )
        except urllib3.exceptions.HTTPError as error:
            raise broken(self.url, doing, error) from error
        if answer.status >= 400:
            raise refusal(self.url, doing, answer.status, answer.data)
        return answer

    def _url(self, path: str, query: Query | None) -> str:
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        return f"{self.url}{path}?{urlencode(given)}" if given else f"{self.url}{path}"

    def _headers(self, content_type: str | None = None) -> dict[str, str]:
        known = {"Accept": "application/json", **self.headers()}
        return known | {"Content-Type": content_type} if content_type else known


def _text(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
