"""Groups that others serve behind this front, such as KubeVirt's subresources (sheet §1.2, §7)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field

from lab.apiserver.errors import ApiError
from lab.apiserver.http.calls import Call
from lab.apiserver.http.paths import Target
from lab.apiserver.streams.tunnels import Tunnel


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: JSON, plain text for a string, or an empty body for None."""

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], Awaitable[Reply | Tunnel]]


class Aggregated:
    """One such group. Handlers raise ApiError to refuse; a Tunnel becomes a `plain.kubevirt.io` websocket.

    Discovery lists `resource/subresource` names only, without kind and verbs: an entry without a slash would make
    lookups of the kind ambiguous.
    """

    def __init__(self, group: str, versions: Iterable[str]) -> None:
        self.group = group
        self.versions = tuple(versions)
        self._handlers: dict[tuple[str, str], dict[str, Handler]] = {}

    def handle(self, method: str, resource: str, subresource: str, handler: Handler) -> None:
        """Serve `namespaces/N/resource/NAME/subresource[/…]`; with subresource "" `resource` itself (`version`).

        The handler reads `call.target` (namespace, name, `rest` after the subresource), `call.text`, and the body by
        `bodies.read_options(call)`.
        """
        self._handlers.setdefault((resource, subresource), {})[method] = handler

    def find(self, target: Target, method: str) -> Handler:
        """The handler of a request; raises 404 or 405."""
        handlers = self._handlers.get((target.plural, target.subresource))
        if handlers is None:
            raise ApiError(404, "NotFound", "the server could not find the requested resource", {})
        if method not in handlers:
            raise ApiError(405, "MethodNotAllowed", f"{method} is not supported on {target.plural}", {})
        return handlers[method]

    def entries(self) -> list[dict[str, object]]:
        """The resource list of each version."""
        return [
            {"name": f"{resource}/{sub}", "singularName": "", "namespaced": True, "kind": "", "verbs": []}
            for resource, sub in self._handlers
            if sub
        ]
