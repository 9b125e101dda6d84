"""Replies: JSON without parameters in the content type (trap T3), Status errors, text."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO

import orjson
from aiohttp import web

from lab.apiserver.errors import ApiError

JSON = "application/json"
_WHOLE = 2**20  # bytes; TLS takes more than that, written at once, at a cost that grows faster than the size


def json_reply(body: object, status: int = 200, content_type: str = JSON) -> web.Response:
    """Any JSON value."""
    return raw_reply(orjson.dumps(body), status, content_type)


def raw_reply(body: bytes, status: int = 200, content_type: str = JSON) -> web.Response:
    """Bytes that are encoded already. Many are written in pieces, and others get their turn between."""
    sent = body if len(body) <= _WHOLE else BytesIO(body)
    return web.Response(body=sent, status=status, headers={"Content-Type": content_type})


def text_reply(body: str, status: int = 200) -> web.Response:
    """Plain text, as health checks and unknown paths give."""
    return web.Response(body=body.encode(), status=status, headers={"Content-Type": "text/plain; charset=utf-8"})


def error_reply(error: ApiError) -> web.Response:
    """A Status with its code; Retry-After only when the error asks for it (trap T12)."""
    reply = json_reply(error.status(), error.code)
    if error.retry_after is not None:
        reply.headers["Retry-After"] = str(error.retry_after)
    return reply


def success(details: Mapping[str, object] | None = None) -> dict[str, object]:
    """A `Status` Success body, with details if given."""
    body: dict[str, object] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    return body if details is None else {**body, "details": dict(details)}
