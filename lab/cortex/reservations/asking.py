"""The controllers ask their own scheduler over HTTP where a slot could go (cortex sheet §2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from lab.cortex.flavor_groups import GroupFlavor
from lab.hypervisor_operator.conversations import Talk, ask
from lab.hypervisor_operator.wire import UNREACHABLE, HttpRequest

RESERVE = "reserve_for_committed_resource"
_MIB = 2**20
_SHOWN = 1024  # bytes of an answer that goes into an error
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A slot that has no host."""

    name: str
    project: str
    zone: str
    flavor: GroupFlavor
    pipeline: str


@dataclass(frozen=True, slots=True)
class Found:
    """Hosts, best first; or the product's error."""

    hosts: tuple[str, ...]
    error: str = ""


def schedule(url: str, wanted: Wanted, hosts: Iterable[str]) -> Talk[Found]:
    """Ask for the best host among these; slots of commitments stay locked, and nothing is recorded of the run."""
    document = orjson.dumps(_body(wanted, list(hosts)))
    reply = yield from ask(HttpRequest("POST", url, {"Content-Type": "application/json"}, document))
    if reply.status == UNREACHABLE:
        return Found((), f'failed to send external scheduler request: Post "{url}": {reply.text}')
    if reply.status != 200:
        return Found((), f"external scheduler returned status {reply.status}: {reply.text[:_SHOWN]}")
    return Found(tuple(reply.json.get("hosts") or ()))


def _body(wanted: Wanted, hosts: list[str]) -> Json:
    flavor = wanted.flavor
    data = {
        "name": flavor.name,
        "memory_mb": flavor.memory // _MIB,
        "vcpus": flavor.vcpus,
        "extra_specs": dict(flavor.extra_specs),
    }
    return {
        "spec": {
            "nova_object.data": {
                "project_id": wanted.project,
                "instance_uuid": wanted.name,
                "availability_zone": wanted.zone,
                "num_instances": 1,
                "scheduler_hints": {"_nova_check_type": RESERVE},
                "ignore_hosts": None,
                "flavor": {"nova_object.data": data},
            }
        },
        "context": {"project_id": wanted.project, "request_id": wanted.name},
        "hosts": [{"host": host, "hypervisor_hostname": ""} for host in hosts],
        "weights": dict.fromkeys(hosts, 0.0),
        "pipeline": wanted.pipeline,
        "options": {
            "lock_reservations": True,
            "max_candidates": 1,
            "skip_history": True,
            "skip_committed_resource_tracking": True,
        },
    }
