"""Looking at hosts of a cloud again and again, so that no migration record is missed, whatever the pace.

Records are listed newest first until those of the last look begin, which finds every new one, and by `changes-since`,
which finds every old one that has changed; a record that has not been updated yet is in the first list only (openstack
sheet §5). Servers are listed by host; one that has left is looked at by itself until nothing is at work on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from utilities.errors import SuiteError
from utilities.history.nova import Blind, MigrationRecord, StateSample
from utilities.nova.connection import Span
from utilities.nova.migrations import Migrations
from utilities.nova.records import Page
from utilities.nova.servers import Servers

OVERLAP = 10.0
"""Product seconds that a look goes back before the last one: the clocks of a cloud's machines differ a little."""
PAST = 86_400.0
"""Product seconds before the first look in which attempts may have begun that are still in flight."""


@dataclass(slots=True)
class _Sight:
    """One kind of things looked at. seen: up to when all is known, UNIX seconds on the cloud's clock."""

    what: str
    seen: float = -math.inf
    trouble: str = ""
    blind: list[Blind] = field(default_factory=list)

    def cleared(self, sent: float) -> None:
        """A look that began then has succeeded."""
        if self.trouble:
            self.blind.append(Blind(self.what, self.seen, sent, self.trouble))
            self.trouble = ""
        self.seen = sent

    def ended(self) -> list[Blind]:
        """Everything unseen, up to the end of the recording."""
        return [*self.blind, *([Blind(self.what, self.seen, reason=self.trouble)] if self.trouble else [])]


class Sampler:
    """What was seen of hosts and servers so far. One thread at a time calls `look`.

    hosts: at least one. about: uuids of servers to look at wherever they are, beside those that come to a host.
    """

    def __init__(
        self, servers: Servers, migrations: Migrations, hosts: Iterable[str], about: Iterable[str] = ()
    ) -> None:
        self.records: list[MigrationRecord] = []
        self.samples: list[StateSample] = []
        self._servers = servers
        self._migrations = migrations
        self._hosts = tuple(hosts)
        self._away = set(about)
        self._last: dict[str, MigrationRecord] = {}
        self.latest = -math.inf  # of all replies, UNIX seconds on the cloud's clock
        self._sights = {what: _Sight(what) for what in ("migrations", "servers")}

    def look(self) -> None:
        """Once at everything. What cannot be seen is remembered as blind, for `blind` to tell."""
        for what, looking in (("migrations", self._look_at_records), ("servers", self._look_at_servers)):
            try:
                self._note(what, looking)
            except SuiteError as error:
                self._sights[what].trouble = error.what

    def first_look(self) -> None:
        """The same, but what keeps one from seeing is raised."""
        self._note("migrations", self._look_at_records)
        self._note("servers", self._look_at_servers)

    @property
    def blind(self) -> tuple[Blind, ...]:
        """When one could not see; up to the end of the recording if the last look failed."""
        return tuple(blind for sight in self._sights.values() for blind in sight.ended())

    @property
    def seen(self) -> float:
        """Up to when everything is known, UNIX seconds on the cloud's clock; when not blind."""
        return min(sight.seen for sight in self._sights.values())

    @property
    def oldest_open(self) -> float:
        """When the oldest attempt began that was seen in flight, infinite if none was."""
        return min((record.created for record in self.records if not record.final), default=math.inf)

    def _note(self, what: str, looking: Callable[[], Span]) -> None:
        span = looking()
        self._sights[what].cleared(span.sent)
        self.latest = max(self.latest, span.received)

    def _look_at_records(self) -> Span:
        since = self._sights["migrations"].seen
        pages: list[Page] = []
        for host in self._hosts:
            new = self._new_records(host, since)
            pages += new
            known = new[0].sent - PAST if math.isinf(since) else since
            for record in self._migrations.of_host(host, since=known - OVERLAP):
                self._keep(record)
        return Span.over(pages)

    def _new_records(self, host: str, since: float) -> list[Page]:
        """Keep those made since the last look."""
        pages: list[Page] = []
        for page in self._migrations.pages_of_host(host):
            pages.append(page)
            for record in page.records:
                self._keep(record)
            oldest = page.records[-1].created if page.records else -math.inf
            if oldest < max(since, page.sent - PAST) - OVERLAP:
                break
        return pages

    def _keep(self, record: MigrationRecord) -> None:
        """A final record is told once, an open one each time: that it is still open is news."""
        last = self._last.get(record.uuid)
        if record.final and last is not None and (last.status, last.updated) == (record.status, record.updated):
            return
        self._last[record.uuid] = record
        self.records.append(record)

    def _look_at_servers(self) -> Span:
        listings = [self._servers.listing(host=host) for host in self._hosts]
        present = [server.sample for listing in listings for server in listing.servers]
        here = {sample.server for sample in present}
        away = [self._servers.sample(server) for server in sorted(self._away - here)]
        self.samples += [*present, *away]
        self._away = here | {sample.server for sample in away if not _settled(sample)}
        return Span.over([*(listing.span for listing in listings), *away])


def _settled(sample: StateSample) -> bool:
    """Whether nothing more will happen to a server elsewhere that has to do with its departure."""
    return sample.gone or (sample.task_state is None and sample.status not in ("VERIFY_RESIZE", "REVERT_RESIZE"))
