"""Lists: selectors, past revisions and pages (kubernetes-api sheet §3.1, §3.5). Objects are never copied."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import orjson

from lab.apiserver import revisions, versions
from lab.apiserver.admission import Object
from lab.apiserver.causes import forbidden_value, not_supported
from lab.apiserver.errors import ApiError, bad_request
from lab.apiserver.indexes import Name
from lab.apiserver.resources import Resource
from lab.apiserver.selectors import Selector, parse_selector
from lab.apiserver.store import ExpiredError, Snapshot, Store

_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You must start a new list without "
    "the continue parameter."
)


@dataclass(frozen=True, slots=True)
class ListOptions:
    """The query of a list, as sent: `limit` 0 means all, texts are "" when absent."""

    labels: str = ""
    fields: str = ""
    limit: int = 0
    continue_token: str = ""
    revision: str = ""  # resourceVersion
    match: str = ""  # resourceVersionMatch
    initial_events: bool | None = None  # sendInitialEvents, refused on lists


EVERY = ListOptions()


@dataclass(frozen=True, slots=True)
class Page:
    """One answer to a list: the snapshots, the list's resourceVersion, and how to go on."""

    resource: Resource
    revision: int
    snapshots: tuple[Snapshot, ...]
    continue_token: str = ""
    remaining: int | None = None  # remainingItemCount; None with a selector or on the last page

    def metadata(self) -> dict[str, Any]:
        """The list's metadata, also for Tables and metadata-only lists."""
        metadata: dict[str, Any] = {"resourceVersion": str(self.revision)}
        if self.continue_token:
            metadata["continue"] = self.continue_token
        if self.remaining is not None:
            metadata["remainingItemCount"] = self.remaining
        return metadata

    def objects(self) -> list[Object]:
        """The objects in the version asked for."""
        return [versions.outward(self.resource, snapshot.obj) for snapshot in self.snapshots]

    def raw(self) -> bytes:
        """The list as JSON: stored bytes, joined."""
        head = {
            "kind": self.resource.list_kind_name,
            "apiVersion": self.resource.api_version,
            "metadata": self.metadata(),
        }
        items = b",".join([versions.raw(self.resource, snapshot) for snapshot in self.snapshots])
        return orjson.dumps(head)[:-1] + b',"items":[' + items + b"]}"


def list_page(store: Store, resource: Resource, namespace: str | None, options: ListOptions) -> Page:
    """The page asked for (None: all namespaces). Raises ApiError 400, 410, 422, 504 as the sheet says."""
    _refuse(options)
    selector = parse_selector(resource, options.labels, options.fields)
    revision, after = _start(store, options)
    if options.limit > 0 and selector.empty and (revision is None or store.newest(resource.key) <= revision):
        first, total = store.page(resource.key, options.limit, namespace, after)
        return _cut(resource, store.revision if revision is None else revision, first, total)
    if revision is None:
        revision = store.revision
        candidates = current(store, resource, namespace, selector)
    else:
        candidates = _past(store, resource, namespace, revision, after)
    found = list(candidates) if selector.empty else [item for item in candidates if selector.matches(item.obj)]
    page = _cut(resource, revision, found[: options.limit] if options.limit > 0 else found, len(found))
    return page if selector.empty else replace(page, remaining=None)


def _cut(resource: Resource, revision: int, shown: list[Snapshot], total: int) -> Page:
    """The page of these, out of so many that are left."""
    if len(shown) == total:
        return Page(resource, revision, tuple(shown))
    token = _token(revision, (shown[-1].namespace, shown[-1].name))
    return Page(resource, revision, tuple(shown), token, total - len(shown))


def current(store: Store, resource: Resource, namespace: str | None, selector: Selector) -> Iterator[Snapshot]:
    """Candidates for a selector, narrowed by name or index where one applies; `matches` still has to be asked."""
    name = selector.name
    if name is not None and (namespace is not None or not resource.namespaced):
        found = store.get(resource.key, namespace or "", name)
        return iter(()) if found is None else iter((found,))
    for index, value in selector.values().items():
        if store.indexed(resource.key, index):
            return store.lookup(resource.key, index, value, namespace)
    return store.scan(resource.key, namespace)


def _past(
    store: Store, resource: Resource, namespace: str | None, revision: int, after: Name | None
) -> Iterator[Snapshot]:
    try:
        return store.at(resource.key, revision, namespace, after)
    except ExpiredError as error:
        if after is not None:
            raise ApiError(410, "Expired", _TOO_OLD) from error
        raise revisions.expired(revision, error.oldest) from error


def _refuse(options: ListOptions) -> None:
    """The combinations that make no sense."""
    if options.initial_events is not None:
        raise revisions.refused(forbidden_value("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    if options.continue_token and options.revision not in ("", "0"):
        raise bad_request("specifying resource version is not allowed when using continue")
    if not options.match:
        return
    if options.continue_token:
        raise revisions.match_forbidden("when continue is provided")
    if not options.revision:
        raise revisions.match_forbidden("unless resourceVersion is provided")
    known = (revisions.EXACT, revisions.NOT_OLDER_THAN, "")
    if options.match not in known:
        raise revisions.refused(not_supported("resourceVersionMatch", options.match, known))
    if options.match == revisions.EXACT and options.revision == "0":
        why = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
        raise revisions.refused(forbidden_value("resourceVersionMatch", why))


def _start(store: Store, options: ListOptions) -> tuple[int | None, Name | None]:
    """The past revision to show (None: the present) and the name after which to start."""
    if options.continue_token:
        return _position(options.continue_token)
    wanted = revisions.number(options.revision)
    if wanted > store.revision:
        raise revisions.not_reached(wanted, store.revision)
    exact = options.match == revisions.EXACT or (options.limit > 0 and not options.match)
    return (wanted if wanted and exact else None), None


def _token(revision: int, last: Name) -> str:
    text = orjson.dumps({"v": "meta.k8s.io/v1", "rv": revision, "start": last})
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def _position(token: str) -> tuple[int, Name]:
    try:
        text = orjson.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        namespace, name = text["start"]
        return int(text["rv"]), (str(namespace), str(name))
    except (binascii.Error, ValueError, KeyError, TypeError) as error:
        raise bad_request(f"continue key is not valid: {error}") from error
