"""Objects and lists as replies in the form the client accepts (sheet §1.4, §3.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from aiohttp import web

from lab.apiserver.http.calls import Call
from lab.apiserver.http.negotiation import FormKind, form_of
from lab.apiserver.http.replies import json_reply, raw_reply
from lab.apiserver.lists import Page
from lab.apiserver.resources import Resource
from lab.apiserver.tables.rendering import TableForm, include_of, partial, partial_list, table
from lab.apiserver.watches import WatchEvent


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of a reply to one request at one product time; asked for before anything is written (406 first)."""

    kind: FormKind
    table: TableForm
    now: float

    def one(self, resource: Resource, obj: Mapping[str, Any], status: int = 200) -> web.Response:
        """A reply with one object. A Status is always sent as it is."""
        if self.kind == "object" or obj.get("kind") == "Status":
            return json_reply(obj, status)
        if self.kind == "partial":
            return json_reply(partial(obj, self.table.version), status)
        return json_reply(self._table(resource, obj), status)

    def page(self, page: Page) -> web.Response:
        """A reply with a list: joined bytes when the client takes objects."""
        if self.kind == "object":
            return raw_reply(page.raw())
        items, metadata = page.objects(), page.metadata()
        if self.kind == "partial":
            return json_reply(partial_list(items, metadata, self.table.version))
        return json_reply(table(page.resource, items, metadata, self.now, self.table))

    def event(self, event: WatchEvent, now: float, *, first: bool) -> bytes:
        """A line of a watch. `first`: columns are sent with the first table only."""
        if self.kind == "object":
            return event.frame()
        obj = event.obj
        if self.kind == "partial":
            body = partial(obj, self.table.version)
        else:
            metadata = _table_metadata(obj, whole=event.type == "BOOKMARK")
            items = [] if event.type == "BOOKMARK" else [obj]
            body = table(event.resource, items, metadata, now, self.table, with_columns=first)
        return orjson.dumps({"type": event.type, "object": body}) + b"\n"

    def _table(self, resource: Resource, obj: Mapping[str, Any]) -> dict[str, object]:
        return table(resource, [obj], _table_metadata(obj, whole=False), self.now, self.table)


def shape_of(call: Call, now: float) -> Shape:
    """The form a client accepts; raises 406 and 400."""
    form = form_of(call.http.headers.get("Accept"))
    return Shape(form.kind, TableForm(form.version, include_of(call.text("includeObject"))), now)


def _table_metadata(obj: Mapping[str, Any], *, whole: bool) -> dict[str, object]:
    """A table's own metadata: the revision of its row; for a bookmark also its annotations."""
    metadata: Mapping[str, Any] = obj.get("metadata") or {}
    names = ("resourceVersion", "annotations") if whole else ("resourceVersion",)
    return {name: metadata[name] for name in names if name in metadata}
