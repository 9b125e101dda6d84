"""A closed recording of Nova: what was seen of servers and migrations between two moments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from utilities.history.nova.facts import Blind, MigrationRecord, StateSample
from utilities.history.nova.journal import Journal


@dataclass(frozen=True, slots=True)
class NovaRecording:
    """What happened on a cloud between `started` and `ended` (product seconds). Immutable; build it with `of`.

    samples: read again and again while it ran. records: read at least once at its end, when nothing was in flight any
    more; also before a server is deleted, because its records go with it. journal: read at its end, None on a real
    cloud. blind: when the recorder got no answers.
    """

    records: tuple[MigrationRecord, ...]
    samples: tuple[StateSample, ...]
    journal: Journal | None
    blind: tuple[Blind, ...]
    started: float
    ended: float

    @classmethod
    def of(
        cls,
        records: Iterable[MigrationRecord] = (),
        samples: Iterable[StateSample] = (),
        *,
        started: float,
        ended: float,
        journal: Journal | None = None,
        blind: Iterable[Blind] = (),
    ) -> NovaRecording:
        """A recording of facts in any order of arrival."""
        return cls(
            tuple(sorted(records, key=lambda record: (record.received, record.sent, record.id))),
            tuple(sorted(samples, key=lambda sample: (sample.sent, sample.received, sample.server, sample.status))),
            journal,
            tuple(blind),
            started,
            ended,
        )

    @property
    def names(self) -> Mapping[str, str]:
        """What people call the servers, by uuid; only those that were read."""
        told = {history.server: history.name for history in self.journal.servers} if self.journal else {}
        return {uuid: name for uuid, name in {**told, **{s.server: s.name for s in self.samples}}.items() if name}
