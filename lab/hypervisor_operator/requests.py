"""The requests the operator sends, and how the reply to each is judged (openstack sheet §10, gophercloud 2.13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lab.hypervisor_operator.wire import UNREACHABLE, HttpReply

Service = Literal["compute", "placement"]
COMPUTE, AGGREGATES, PLACEMENT = "2.90", "2.93", "1.39"


@dataclass(frozen=True, slots=True)
class Request:
    """One request below a service's endpoint; any reply whose code is not in `accepted` is an error."""

    service: Service
    method: str
    path: str
    microversion: str
    accepted: tuple[int, ...] = (200,)
    body: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a request. `error` is "" or gophercloud's text."""

    code: int
    body: Mapping[str, Any]
    error: str = ""

    @property
    def missing(self) -> bool:
        """Whether the answer was 404."""
        return self.code == 404


def outcome(method: str, url: str, accepted: tuple[int, ...], reply: HttpReply) -> Outcome:
    """Judge a reply as gophercloud does."""
    if reply.status == UNREACHABLE:
        return Outcome(UNREACHABLE, {}, f'{method.capitalize()} "{url}": {reply.text}')
    if reply.status in accepted:
        unreadable = bool(reply.body) and not reply.json
        return Outcome(reply.status, reply.json, "unexpected end of JSON input" if unreadable else "")
    codes = " ".join(map(str, accepted))
    wanted = f"Expected HTTP response code [{codes}] when accessing [{method} {url}]"
    return Outcome(reply.status, reply.json, f"{wanted}, but got {reply.status} instead: {reply.text}")


def hypervisor(hypervisor_id: str) -> Request:
    """A hypervisor with its servers. Without an id the path ends in a slash, which Nova answers with 404."""
    return Request("compute", "GET", f"/os-hypervisors/{hypervisor_id}?with_servers=true", COMPUTE)


def server(uuid: str) -> Request:
    """One server."""
    return Request("compute", "GET", f"/servers/{uuid}", COMPUTE, (200, 203))


def live_migrate(uuid: str) -> Request:
    """Move a running server; Nova chooses where to."""
    return _action(uuid, {"os-migrateLive": {"block_migration": False, "host": None}}, (201, 202))


def cold_migrate(uuid: str) -> Request:
    """Move a server that does not run; it needs a confirmation afterwards."""
    return _action(uuid, {"migrate": None}, (201, 202))


def confirm_resize(uuid: str) -> Request:
    """Accept where a cold migration put a server."""
    return _action(uuid, {"confirmResize": None}, (201, 202, 204))


def disable_service(service_id: str, maintenance: str) -> Request:
    """Keep new servers off a host."""
    reason = f"Hypervisor CRD: spec.maintenance={maintenance}"
    return _service(service_id, {"status": "disabled", "disabled_reason": reason})


def enable_service(service_id: str) -> Request:
    """Put a host back into service, also when the HA service had forced it down."""
    return _service(service_id, {"status": "enabled", "forced_down": False})


def traits(hypervisor_id: str) -> Request:
    """All traits of a resource provider."""
    return Request("placement", "GET", f"/resource_providers/{hypervisor_id}/traits", PLACEMENT)


def set_traits(hypervisor_id: str, names: list[str], generation: int) -> Request:
    """Replace the traits of a resource provider."""
    body = {"resource_provider_generation": generation, "traits": names}
    return Request("placement", "PUT", f"/resource_providers/{hypervisor_id}/traits", PLACEMENT, (200,), body)


def aggregates() -> Request:
    """All host aggregates."""
    return Request("compute", "GET", "/os-aggregates", AGGREGATES)


def change_aggregate(aggregate: int, verb: Literal["add_host", "remove_host"], host: str) -> Request:
    """Put a host into an aggregate, or take it out."""
    return Request("compute", "POST", f"/os-aggregates/{aggregate}/action", AGGREGATES, (200,), {verb: {"host": host}})


def migrations(host: str) -> Request:
    """Migrations from or to a host. No released operator asks this; the proposed settling of incoming ones does."""
    return Request("compute", "GET", f"/os-migrations?host={host}", COMPUTE)


def _action(uuid: str, body: Mapping[str, Any], accepted: tuple[int, ...]) -> Request:
    return Request("compute", "POST", f"/servers/{uuid}/action", COMPUTE, accepted, body)


def _service(service_id: str, body: Mapping[str, Any]) -> Request:
    return Request("compute", "PUT", f"/os-services/{service_id}", COMPUTE, (200,), body)
