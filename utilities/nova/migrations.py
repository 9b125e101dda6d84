"""Migrations as an administrator asks Nova for them: start, abort, force, confirm; and their records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from utilities.errors import ApiError
from utilities.evidence.steps import step
from utilities.history.nova import FINAL_STATUSES, MigrationRecord
from utilities.nova.connection import Cloud, Query
from utilities.nova.polling import Polls
from utilities.nova.records import Page, record_pages, stamp
from utilities.nova.server import Server
from utilities.site import Timeouts


@dataclass(frozen=True, slots=True)
class Migrations:
    """Migrations of all projects. Records of a deleted server go with it: read them before."""

    cloud: Cloud
    polls: Polls
    timeouts: Timeouts

    def of_host(self, host: str, *, since: float | None = None) -> tuple[MigrationRecord, ...]:
        """Records out of a host or into it, oldest first. since: only those updated at or after (UNIX seconds)."""
        return self._read({"host": host, "changes-since": None if since is None else stamp(since)})

    def pages_of_host(self, host: str) -> Iterator[Page]:
        """The same newest first, page by page; asks for no more than are taken."""
        return record_pages(self.cloud, {"host": host})

    def of_server(self, server: Server) -> tuple[MigrationRecord, ...]:
        """Records of a server, oldest first: one an attempt."""
        return self._read({"instance_uuid": server.id})

    def live_migrate(self, server: Server, *, to: str | None = None) -> Attempt:
        """Ask for a live migration, to a host if given; raises ApiError when Nova refuses. Returns when accepted.

        As the hypervisor operator asks: without block migration.
        """
        action = {"os-migrateLive": {"host": to, "block_migration": False}}
        return self._attempt("request live migration", server, action, to)

    def migrate(self, server: Server, *, to: str | None = None) -> Attempt:
        """Ask for a cold migration, as above. Once `finished` it waits for `confirm`."""
        return self._attempt("request cold migration", server, {"migrate": {"host": to} if to else None}, to)

    def confirm(self, server: Server) -> None:
        """Confirm a cold migration that is finished."""
        self._act("confirm cold migration", server, {"confirmResize": None})

    def revert(self, server: Server) -> None:
        """Take a cold migration that is finished back."""
        self._act("revert cold migration", server, {"revertResize": None})

    def abort(self, migration: MigrationRecord) -> None:
        """Ask for the end of a live migration that is queued, preparing or running."""
        with step("abort migration", answers=(ApiError,), migration=migration.id):
            self.cloud.compute("DELETE", f"/servers/{migration.server}/migrations/{migration.id}")

    def force_complete(self, migration: MigrationRecord) -> None:
        """Ask for the end of the copy of a live migration that runs, whatever the guest does."""
        with step("force migration to complete", answers=(ApiError,), migration=migration.id):
            path = f"/servers/{migration.server}/migrations/{migration.id}/action"
            self.cloud.compute("POST", path, body={"force_complete": None})

    def _read(self, query: Query) -> tuple[MigrationRecord, ...]:
        records = (record for page in record_pages(self.cloud, query) for record in page.records)
        return tuple(sorted(records, key=lambda record: record.id))

    def _attempt(self, title: str, server: Server, action: object, to: str | None) -> Attempt:
        before = max((record.id for record in self.of_server(server)), default=0)
        self._act(title, server, action, to)
        return Attempt(self, server, before)

    def _act(self, title: str, server: Server, action: object, to: str | None = None) -> None:
        with step(title, answers=(ApiError,), server=server.name, to=to):
            self.cloud.compute("POST", f"/servers/{server.id}/action", body=action)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One migration that was asked for and accepted; its record has a higher number than `after`."""

    migrations: Migrations
    server: Server
    after: int

    def wait(self, *statuses: str) -> MigrationRecord:
        """Wait until its record has one of these statuses; raises GoalLost when it ends otherwise.

        Without statuses: until the attempt is over, however.
        """
        wanted = frozenset(statuses) or FINAL_STATUSES
        found = self.migrations.polls.wait_for(
            lambda: [one for one in self.migrations.of_server(self.server) if one.id > self.after][:1],
            lambda records: any(record.status in wanted for record in records),
            subject=f"migration of {self.server}",
            expecting=" or ".join(sorted(wanted)),
            within=self.migrations.timeouts.server_migration,
            describe=lambda records: "; ".join(map(_words, records)) or "no record yet",
            losing=lambda records: next((f"it ended {record.status}" for record in records if record.final), None),
        )
        return found[0]


def _words(record: MigrationRecord) -> str:
    return f"{record.status} from {record.source} to {record.target or 'nowhere yet'}"
