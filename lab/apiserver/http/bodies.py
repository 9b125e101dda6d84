"""Request bodies: JSON, YAML or protobuf, whatever the client said they are (sheet §1.4)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
import yaml

from lab.apiserver.api import PatchType
from lab.apiserver.errors import ApiError, bad_request
from lab.apiserver.http.calls import Call
from lab.apiserver.protobuf.decoding import decode

PROTOBUF = "application/vnd.kubernetes.protobuf"
_JSON = ("", "application/json")
_YAML = ("application/yaml", "application/apply-patch+yaml")
_OBJECTS = ("application/json", "application/yaml", PROTOBUF)
PATCHES: Mapping[str, PatchType] = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
    "application/apply-patch+yaml": "apply",
}


def content_type(call: Call) -> str:
    """The media type of the body without parameters, lower case; "" when the client said nothing (trap T11)."""
    return call.http.headers.get("Content-Type", "").partition(";")[0].strip().lower()


async def read_object(call: Call) -> dict[str, Any]:
    """The object in the body; raises 400 when it is none, 415 on another content type."""
    body = await call.body()
    kind = content_type(call)
    if kind == PROTOBUF:
        return decode(body)
    if kind in _JSON:
        return _object(_json(body))
    if kind == "application/yaml":
        return _object(_yaml(body))
    raise _unsupported(_OBJECTS)


async def read_options(call: Call) -> dict[str, Any]:
    """The options in the body, {} when it is empty (DELETE with a content type and no body is normal)."""
    if not await call.body():
        return {}
    return await read_object(call)


async def read_patch(call: Call) -> tuple[PatchType, Any]:
    """The type of a patch and its document; raises 400 and 415."""
    kind = content_type(call)
    if kind not in PATCHES:
        raise _unsupported(tuple(PATCHES))
    body = await call.body()
    return PATCHES[kind], _yaml(body) if kind in _YAML else _json(body)


async def duplicates(call: Call) -> list[str]:
    """Paths of members that a JSON body names twice; only the last one counts."""
    if content_type(call) not in _JSON:
        return []
    return list(_duplicates(json.loads(await call.body(), object_pairs_hook=_Members), ""))


class _Members(dict[str, Any]):
    """An object that remembers which of its members came more than once."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        names = [name for name, _ in pairs]
        self.repeated = [] if len(names) == len(self) else sorted({name for name in names if names.count(name) > 1})


def _duplicates(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, _Members):
        yield from (f"{path}{name}" for name in value.repeated)
        for name, member in value.items():
            yield from _duplicates(member, f"{path}{name}.")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _duplicates(item, f"{path.removesuffix('.')}[{index}].")


def _json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise bad_request(f"the object provided is unrecognized (JSON): {error}") from error


def _yaml(body: bytes) -> Any:
    try:
        return _json(body)  # most clients send JSON, which is YAML, and JSON is read much faster
    except ApiError:
        try:
            return json.loads(json.dumps(yaml.load(body, _Loader)))  # noqa: S506  a safe loader, without dates
        except (yaml.YAMLError, TypeError, UnicodeDecodeError) as error:
            raise bad_request(f"the object provided is unrecognized (YAML): {error}") from error


class _Loader(yaml.SafeLoader):
    """YAML as Kubernetes reads it: timestamps stay text."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise bad_request(f"the object provided is unrecognized: expected an object, got {type(value).__name__}")
    return value


def _unsupported(accepted: Sequence[str]) -> ApiError:
    message = f"the body of the request was in an unknown format - accepted media types include: {', '.join(accepted)}"
    return ApiError(415, "UnsupportedMediaType", message)
