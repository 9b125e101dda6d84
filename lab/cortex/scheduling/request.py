"""A request of Nova's external scheduler, as Cortex decodes it (Cortex sheet §2)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.cortex.scheduling.body import BODY, DATA
from lab.cortex.scheduling.decoding import fits
from lab.cortex.scheduling.options import Options, options_of

Json = Mapping[str, Any]
BAD_REQUEST = 400


class RequestError(Exception):
    """Cortex answers with this HTTP status and text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text}")
        self.status = status
        self.text = text


@dataclass(frozen=True, slots=True)
class Flavor:
    """`memory_mb` in megabytes, as Nova counts them."""

    name: str = ""
    memory_mb: int = 0
    vcpus: int = 0
    extra_specs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the caller wants it. Entries of `aggregates` all hold; commas within one mean any of them."""

    host: str
    aggregates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A server group: members are VM uuids, hosts those of its members."""

    policy: str
    members: tuple[str, ...]
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """Who asks. `project` may differ from the request's own."""

    project: str
    user: str
    request_id: str
    global_request_id: str


@dataclass(frozen=True, slots=True)
class Request:
    """`hosts` as sent, duplicates included; `image`: image properties, None if there are none; `vm`: its uuid."""

    vm: str
    project: str
    zone: str
    instances: int
    hints: Json
    ignore_hosts: tuple[str, ...] | None
    force_hosts: tuple[str, ...] | None
    image: Json | None
    flavor: Flavor
    destination: Destination | None
    group: Group | None
    context: Context
    hosts: tuple[str, ...]
    weights: Mapping[str, float]
    pipeline: str
    options: Options
    raw: Json

    def hint(self, name: str) -> str | None:
        """A scheduler hint: the first of a list, or the string itself; None if it cannot be read."""
        value = self.hints.get(name)
        if isinstance(value, list) and value:
            value = value[0]
        return value if isinstance(value, str) else None

    @property
    def hardware(self) -> str:
        """The flavor's group, "" if it tells none."""
        return self.flavor.extra_specs.get("quota:hw_version", "")


def parse(body: bytes | str | Json) -> Request:
    """The request in a body, or in a document already read (`spec.novaRaw` of a Decision).

    Raises RequestError(400, "failed to decode request body"). What follows the first JSON value is ignored, as
    Cortex's decoder does. Whether hosts and weights agree is looked at on the HTTP path only: `admission.admit`.
    """
    document = body if isinstance(body, Mapping) else _read(body)
    if not fits(document, BODY):
        raise _undecodable()
    spec = _unwrapped(document, "spec")
    context = document.get("context") or {}
    return Request(
        vm=_text(spec, "instance_uuid"),
        project=_text(spec, "project_id"),
        zone=_text(spec, "availability_zone"),
        instances=spec.get("num_instances") or 0,
        hints=spec.get("scheduler_hints") or {},
        ignore_hosts=_names(spec, "ignore_hosts"),
        force_hosts=_names(spec, "force_hosts"),
        image=_unwrapped(_unwrapped(spec, "image"), "properties") or None,
        flavor=_flavor(_unwrapped(spec, "flavor")),
        destination=_destination(spec),
        group=_group(spec),
        context=Context(
            _text(context, "project_id"),
            _text(context, "user"),
            _text(context, "request_id"),
            _text(context, "global_request_id"),
        ),
        hosts=tuple(_text(host or {}, "host") for host in document.get("hosts") or ()),
        weights={host: weight or 0.0 for host, weight in (document.get("weights") or {}).items()},
        pipeline=_text(document, "pipeline"),
        options=options_of(document.get("options") or {}),
        raw=document,
    )


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number that fits")
    return number


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)


def _undecodable() -> RequestError:
    return RequestError(BAD_REQUEST, "failed to decode request body")


def _read(body: bytes | str) -> Json:
    """The first JSON value. As encoding/json reads: bytes that are no UTF-8 are replaced, numbers are finite."""
    try:
        text = body if isinstance(body, str) else body.decode(errors="replace")
        document, _ = _DECODER.raw_decode(text.lstrip())
    except ValueError as error:
        raise _undecodable() from error
    if document is not None and not isinstance(document, dict):
        raise _undecodable()
    return document or {}


def _text(document: Json, key: str) -> str:
    return document.get(key) or ""


def _names(document: Json, key: str) -> tuple[str, ...] | None:
    names = document.get(key)
    return None if names is None else tuple(name or "" for name in names)


def _unwrapped(document: Json, key: str) -> Json:
    return (document.get(key) or {}).get(DATA) or {}


def _flavor(data: Json) -> Flavor:
    specs = {key: value or "" for key, value in (data.get("extra_specs") or {}).items()}
    return Flavor(_text(data, "name"), data.get("memory_mb") or 0, data.get("vcpus") or 0, specs)


def _destination(spec: Json) -> Destination | None:
    if spec.get("requested_destination") is None:
        return None
    data = _unwrapped(spec, "requested_destination")
    return Destination(_text(data, "host"), _names(data, "aggregates") or ())


def _group(spec: Json) -> Group | None:
    if spec.get("instance_group") is None:
        return None
    data = _unwrapped(spec, "instance_group")
    return Group(_text(data, "policy"), _names(data, "members") or (), _names(data, "hosts") or ())
