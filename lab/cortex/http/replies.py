"""Replies as Go's net/http writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson

_PLAIN = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def refusal(status: int, text: str) -> Reply:
    """A text with its newline, as `http.Error` sends it."""
    return Reply(status, f"{text}\n".encode(), {"Content-Type": _PLAIN, "X-Content-Type-Options": "nosniff"})


def not_found() -> Reply:
    """A path that nothing is served at."""
    return refusal(404, "404 page not found")


def document(value: object) -> Reply:
    """A JSON document with the newline that Go's encoder leaves behind it."""
    return Reply(200, orjson.dumps(value) + b"\n", {"Content-Type": "application/json"})


def text(body: bytes, content_type: str = _PLAIN) -> Reply:
    """A plain body."""
    return Reply(200, body, {"Content-Type": content_type})
