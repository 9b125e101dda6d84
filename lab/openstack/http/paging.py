"""Pages: limit, marker, and the link to the next page (openstack sheet §3, §5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from lab.openstack.http.calls import Call
from lab.openstack.refusals import RefusalError

T = TypeVar("T")


def page(call: Call, items: Sequence[T], key: Callable[[T], str]) -> tuple[list[T], list[dict[str, str]] | None]:
    """One page of what is listed, and its link to the next when it is full. Refuses a bad limit or marker with 400."""
    limit, marker = _limit(call), call.query.get("marker")
    start = 0
    if marker is not None:
        found = [index for index, item in enumerate(items) if key(item) == marker]
        if not found:
            raise RefusalError(400, f"marker [{marker}] not found")
        start = found[0] + 1
    shown = list(items[start : start + limit])
    if not shown or len(shown) < limit:
        return shown, None
    query = [(name, value) for name, value in call.query.items() if name != "marker"]
    href = f"{call.base}{call.path}?{urlencode([*query, ('marker', key(shown[-1]))])}"
    return shown, [{"rel": "next", "href": href}]


def listing(name: str, entries: list[Any], links: list[dict[str, str]] | None) -> dict[str, Any]:
    """The body of a page."""
    return {name: entries} if links is None else {name: entries, f"{name}_links": links}


def _limit(call: Call) -> int:
    most = call.cloud.shape.nova.max_limit
    value = call.query.get("limit")
    if value is None:
        return most
    if not value.isdecimal():
        raise RefusalError(
            400,
            f"Invalid input for query parameters limit. Value: {value}. {value!r} does not match '^[0-9]*$'",
        )
    return min(int(value), most)
