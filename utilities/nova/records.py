"""Migration records as Nova lists them (openstack sheet §5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from utilities.history import seconds
from utilities.history.nova import MigrationRecord
from utilities.nova.connection import Cloud, Query, Reply


def record_of(body: Mapping[str, Any], reply: Reply) -> MigrationRecord:
    """A `migration` in a reply."""
    updated = body["updated_at"]
    return MigrationRecord(
        id=int(body["id"]),
        uuid=body["uuid"],
        server=body["instance_uuid"],
        kind=body["migration_type"],
        source=body["source_compute"],
        target=body["dest_compute"],
        status=body["status"],
        created=seconds(body["created_at"]),
        updated=seconds(updated) if updated else None,
        sent=reply.sent,
        received=reply.received,
    )


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list of records, newest first, and when it was so, UNIX seconds on the cloud's clock."""

    records: tuple[MigrationRecord, ...]
    sent: float
    received: float


def record_pages(cloud: Cloud, query: Query) -> Iterator[Page]:
    """Records of all projects, page by page, at least one page. query: filters as Nova takes them."""
    for reply in cloud.pages("/os-migrations", "migrations", query=query, marker="uuid"):
        records = tuple(record_of(body, reply) for body in reply.body["migrations"])
        yield Page(records, reply.sent, reply.received)


def stamp(at: float) -> str:
    """UNIX seconds as `changes-since` takes them."""
    return datetime.fromtimestamp(int(at), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
