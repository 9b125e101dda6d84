"""Replies, and the forms in which each service refuses (openstack sheet §1, §2, §9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from lab.openstack.refusals import RefusalError

NOVA_NAMES: Mapping[int, str] = {
    400: "badRequest",
    401: "unauthorized",
    403: "forbidden",
    404: "itemNotFound",
    405: "badMethod",
    409: "conflictingRequest",
    413: "overLimit",
    415: "badMediaType",
    429: "overLimit",
    501: "notImplemented",
    503: "serviceUnavailable",
}
HTML = "text/html; charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back. body: a JSON value, text (sent as HTML), or None for nothing."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Form = Callable[[RefusalError, str], Any]  # a refusal and the id of the request, as the body of a reply


def keystone_form(refusal: RefusalError, _: str) -> Any:
    """Keystone, and every service about tokens."""
    title = HTTPStatus(refusal.status).phrase
    return {"error": {"code": refusal.status, "title": title, "message": refusal.message}}


def nova_form(refusal: RefusalError, _: str) -> Any:
    """Nova's faults."""
    name = NOVA_NAMES.get(refusal.status, "computeFault")
    return {name: {"code": refusal.status, "message": refusal.message}}


def placement_form(refusal: RefusalError, request_id: str) -> Any:
    """Placement's errors."""
    error = {
        "status": refusal.status,
        "title": HTTPStatus(refusal.status).phrase,
        "detail": f"{HTTPStatus(refusal.status).description}\n\n {refusal.message}  ",
        "code": refusal.code,
        "request_id": request_id,
    }
    return {"errors": [error]}


def neutron_form(refusal: RefusalError, _: str) -> Any:
    """Neutron's errors."""
    kind = "NotImplementedError" if refusal.status == 501 else HTTPStatus(refusal.status).phrase.replace(" ", "")
    return {"NeutronError": {"type": kind, "message": refusal.message, "detail": ""}}


def glance_form(refusal: RefusalError, _: str) -> Any:
    """Glance answers with a page."""
    title = f"{refusal.status} {HTTPStatus(refusal.status).phrase}"
    return (
        f"<html>\n <head>\n  <title>{title}</title>\n </head>\n <body>\n  <h1>{title}</h1>\n"
        f"  {refusal.message}<br /><br />\n\n\n </body>\n</html>"
    )
