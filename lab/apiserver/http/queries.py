"""The options of lists, watches, writes and deletes, from the query and the body (sheet §2.4, §2.5, §3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.causes import not_supported
from lab.apiserver.errors import bad_request, invalid
from lab.apiserver.http.calls import Call
from lab.apiserver.lists import ListOptions
from lab.apiserver.options import DeleteOptions, WriteOptions
from lab.apiserver.resources import Resource
from lab.apiserver.watches import WatchOptions

_META = "meta.k8s.io"
_KINDS = {"POST": "CreateOptions", "PUT": "UpdateOptions", "PATCH": "PatchOptions", "DELETE": "DeleteOptions"}


def list_options(call: Call) -> ListOptions:
    """The query of a list."""
    return ListOptions(
        labels=call.text("labelSelector"),
        fields=call.text("fieldSelector"),
        limit=call.number("limit") or 0,
        continue_token=call.text("continue"),
        revision=call.text("resourceVersion"),
        match=call.text("resourceVersionMatch"),
        initial_events=_initial_events(call),
    )


def watch_options(call: Call) -> WatchOptions:
    """The query of a watch."""
    return WatchOptions(
        labels=call.text("labelSelector"),
        fields=call.text("fieldSelector"),
        revision=call.text("resourceVersion"),
        match=call.text("resourceVersionMatch"),
        bookmarks=call.flag("allowWatchBookmarks"),
        initial_events=_initial_events(call),
    )


def write_options(call: Call) -> WriteOptions:
    """The query of a create, update or patch; raises 422 on a dryRun it does not know."""
    validation = call.text("fieldValidation") or "Warn"
    return WriteOptions(dry_run(call, call.texts("dryRun")), call.flag("force"), validation)


def delete_options(call: Call, body: Mapping[str, Any]) -> DeleteOptions:
    """The options of a delete: the body if there is one, else the query (sheet §2.5)."""
    if not body:
        return DeleteOptions(
            grace_period=call.number("gracePeriodSeconds"),
            propagation=call.text("propagationPolicy") or None,
            dry_run=dry_run(call, call.texts("dryRun")),
            orphan_dependents=call.flag("orphanDependents") if "orphanDependents" in call.http.query else None,
        )
    return options_in_body(call, body)


def options_in_body(call: Call, body: Mapping[str, Any]) -> DeleteOptions:
    """The DeleteOptions in a body, also that of an eviction; raises 400 on wrong types."""
    grace, orphan = body.get("gracePeriodSeconds"), body.get("orphanDependents")
    preconditions = body.get("preconditions") or {}
    if not (grace is None or type(grace) is int) or not (orphan is None or type(orphan) is bool):
        raise bad_request("DeleteOptions: gracePeriodSeconds must be an integer, orphanDependents a boolean")
    if not isinstance(preconditions, Mapping):
        raise bad_request("DeleteOptions: preconditions must be an object")
    return DeleteOptions(
        grace_period=grace,
        propagation=body.get("propagationPolicy"),
        precondition_uid=preconditions.get("uid"),
        precondition_revision=preconditions.get("resourceVersion"),
        dry_run=dry_run(call, [*call.texts("dryRun"), *(body.get("dryRun") or ())]),
        orphan_dependents=orphan,
    )


def dry_run(call: Call, values: list[str]) -> bool:
    """Whether nothing is to be stored; raises 422 on anything but `All`."""
    for value in values:
        if value not in ("All", ""):
            raise invalid(_options_kind(call), "", [not_supported("dryRun", value, ("All",))])
    return "All" in values


def _initial_events(call: Call) -> bool | None:
    return call.flag("sendInitialEvents") if "sendInitialEvents" in call.http.query else None


def _options_kind(call: Call) -> Resource:
    kind = _KINDS.get(call.method, "ListOptions")
    return Resource(_META, "v1", kind.lower(), kind, namespaced=False)
