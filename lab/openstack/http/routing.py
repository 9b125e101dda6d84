"""Routes as data: a method, a path with names in it, a handler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lab.openstack.http.calls import Handler
from lab.openstack.http.microversions import Versions
from lab.openstack.http.replies import Form


@dataclass(frozen=True, slots=True)
class Route:
    """`path`: segments, `{name}` takes any text. open: without a token. since: first minor version that has it."""

    method: str
    path: str
    handler: Handler
    open: bool = False
    since: int = 0

    def match(self, parts: tuple[str, ...]) -> Mapping[str, str] | None:
        """Named parts if the path fits."""
        wanted = tuple(self.path.split("/"))
        if len(wanted) != len(parts):
            return None
        names = {}
        for want, part in zip(wanted, parts, strict=True):
            if want.startswith("{"):
                names[want[1:-1]] = part
            elif want != part:
                return None
        return names


@dataclass(frozen=True, slots=True)
class Service:
    """One service: where it is, how it refuses, what it answers."""

    name: str  # first part of the path
    form: Form
    routes: tuple[Route, ...]
    versions: Versions | None = None

    def find(self, method: str, parts: tuple[str, ...]) -> tuple[Route, Mapping[str, str]] | None:
        """The first route that fits; a path without names goes before one with them."""
        return find(self.routes, "GET" if method == "HEAD" else method, parts)


def find(routes: Iterable[Route], method: str, parts: tuple[str, ...]) -> tuple[Route, Mapping[str, str]] | None:
    """The route of a request."""
    for route in routes:
        names = route.match(parts) if route.method == method else None
        if names is not None:
            return route, names
    return None
