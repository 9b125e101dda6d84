"""What a URL path names: a kind, an object or a subresource of it (sheet §2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

_NAMESPACE_SUBRESOURCES = ("status", "finalize")


@dataclass(frozen=True, slots=True)
class Target:
    """A resource path, taken apart. `rest` are the segments after the subresource (`portforward/22/tcp`)."""

    group: str
    version: str
    plural: str
    namespace: str | None = None  # None: cluster-scoped, or all namespaces
    name: str = ""
    subresource: str = ""
    rest: tuple[str, ...] = ()


def segments(raw_path: str) -> tuple[str, ...]:
    """The decoded, non-empty segments of a raw path."""
    return tuple(unquote(part) for part in raw_path.split("/") if part)


def parse_target(parts: tuple[str, ...]) -> Target | None:
    """The target of `/api/v1/…` or `/apis/G/V/…`; None if the path names no resource (discovery, health, unknown)."""
    if len(parts) >= 3 and parts[0] == "api":
        return _target("", parts[1], parts[2:])
    if len(parts) >= 4 and parts[0] == "apis":
        return _target(parts[1], parts[2], parts[3:])
    return None


def _target(group: str, version: str, rest: tuple[str, ...]) -> Target:
    namespace: str | None = None
    if rest[0] == "namespaces" and len(rest) >= 3 and not (not group and rest[2] in _NAMESPACE_SUBRESOURCES):
        namespace, rest = rest[1], rest[2:]
    plural, name, subresource = (*rest[:3], "", "")[:3]
    return Target(group, version, plural, namespace, name, subresource, rest[3:])
