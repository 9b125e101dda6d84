"""fieldValidation: unknown fields are refused, warned about or dropped in silence (kubernetes-api sheet §2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from lab.apiserver.bodies import unknown_members
from lab.apiserver.causes import invalid_value, not_supported
from lab.apiserver.errors import ApiError, bad_request, invalid
from lab.apiserver.requests import WriteRequest
from lab.apiserver.resources import Resource
from lab.apiserver.strategies import Strategy

MODES = ("Ignore", "Strict", "Warn")


def refuse_unknown_mode(options_kind: str, mode: str) -> None:
    """422 unless fieldValidation is one of the three words (or empty)."""
    if mode not in ("", *MODES):
        options = Resource("meta.k8s.io", "v1", options_kind.lower(), options_kind)
        raise invalid(options, "", [not_supported("fieldValidation", mode, MODES)])


def report_unknown(request: WriteRequest, strategy: Strategy | None, body: Mapping[str, Any], given: object) -> None:
    """Look for unknown fields in `body` (and in the metadata as given) if anybody wants to know.

    Raises 400 under Strict, 422 when the fields came by a patch.
    """
    mode = request.options.field_validation
    if mode == "Ignore" or (mode != "Strict" and request.reply is None):
        return
    paths = unknown_members(given)
    if strategy is not None:
        paths.extend(strategy.unknown_fields(dict(body)))
    found = [f'unknown field "{path}"' for path in paths]
    if found and mode == "Strict":
        raise _strict(request, found, body)
    for text in found:
        request.warn(text)


def _strict(request: WriteRequest, found: Sequence[str], body: Mapping[str, Any]) -> ApiError:
    resource = request.resource
    problem = f"strict decoding error: {', '.join(found)}"
    if not request.patching:
        what = f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}'
        return bad_request(f"{what}: {problem}")
    text = orjson.dumps(body).decode()
    return invalid(resource, "", [invalid_value("patch", text, problem)])
