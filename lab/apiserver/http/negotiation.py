"""What a client accepts: plain JSON, tables, metadata only (sheet §1.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from lab.apiserver.errors import ApiError

FormKind = Literal["object", "table", "partial"]
_JSON = ("application/json", "application/*", "*/*")
_FORMS: dict[str, FormKind] = {
    "Table": "table",
    "PartialObjectMetadata": "partial",
    "PartialObjectMetadataList": "partial",
}
_VERSIONS = ("v1", "v1beta1")


@dataclass(frozen=True, slots=True)
class MediaType:
    """One entry of an Accept header; parameters in any order."""

    name: str
    parameters: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a reply; `version` is that of `meta.k8s.io` for tables and metadata."""

    kind: FormKind = "object"
    version: str = "v1"


def media_types(accept: str) -> Iterator[MediaType]:
    """The entries of an Accept header in the order of preference (quality, then position)."""
    entries = [_entry(part) for part in accept.split(",") if part.strip()]
    yield from sorted(entries, key=lambda entry: -_quality(entry))


def form_of(accept: str | None) -> Form:
    """The first form this server can give; raises 406 when there is none."""
    if not accept or not accept.strip():
        return Form()
    for entry in media_types(accept):
        if entry.name not in _JSON:
            continue
        wanted = entry.parameters.get("as")
        if wanted is None:
            return Form()
        version = entry.parameters.get("v", "v1")
        if wanted in _FORMS and entry.parameters.get("g") == "meta.k8s.io" and version in _VERSIONS:
            return Form(_FORMS[wanted], version)
    raise not_acceptable()


def not_acceptable() -> ApiError:
    """406: none of the accepted types is offered."""
    message = "only the following media types are accepted: application/json"
    return ApiError(406, "NotAcceptable", message)


def _entry(part: str) -> MediaType:
    name, *rest = (piece.strip() for piece in part.split(";"))
    pairs = (piece.partition("=") for piece in rest)
    return MediaType(name.lower(), {key.strip(): value.strip().strip('"') for key, _, value in pairs})


def _quality(entry: MediaType) -> float:
    try:
        return float(entry.parameters.get("q", "1"))
    except ValueError:
        return 1.0
