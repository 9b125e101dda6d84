"""One pass over the whole queue, with up to `limit` migrations in flight (operator sheet §2.4, pull request 353).

What is in flight follows from Nova alone, each time anew. The status is written once, at the end.
"""

from __future__ import annotations

from dataclasses import replace

from lab.controllers.answers import answer
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.eviction.answers import AGAIN, CLAIM, CONFIRMED, POSTED, WRITES, Claim, Passed
from lab.hypervisor_operator.eviction.asking import look, post
from lab.hypervisor_operator.eviction.case import Case
from lab.hypervisor_operator.eviction.draft import Draft
from lab.hypervisor_operator.eviction.instances import PARALLEL
from lab.hypervisor_operator.eviction.limits import LIMIT, ROOM, HostLimits, Room
from lab.hypervisor_operator.eviction.queue import CANDIDATES, ORDER, SCAN, Candidate, Turn, without
from lab.hypervisor_operator.eviction.rulings import Ask, Ruling
from lab.hypervisor_operator.eviction.writing import write
from lab.hypervisor_operator.words import FAILED, TRAITS_UPDATED, value
from lab.hypervisor_operator.workers import Done


class ParallelPass:
    """Looks at every outstanding server, then starts what there is room for."""

    def __init__(self, desk: Desk, case: Case) -> None:
        self._desk = desk
        self._case = case
        self._draft = Draft(case.eviction, desk.api.clock.stamp())
        self._in_flight = 0
        self._started = 0
        self._moved_back: tuple[str, ...] = ()
        self._candidates: list[Candidate] = []
        self._troubles: list[str] = []

    def run(self) -> Talk[Done]:
        """The pass; it is over when the status is written. Raises ApiError when that fails."""
        limit = self._limit()
        yield from self._scan()
        yield from self._start(limit)
        yield from write(self._desk, self._case, self._draft)
        return self._end(limit)

    def _scan(self) -> Talk[None]:
        for uuid in self._case.outstanding:
            seen = yield from look(self._desk, self._case, uuid)
            ruling: Ruling = answer(self._desk.tables.of(PARALLEL), seen)
            self._apply(uuid, ruling)
            if ruling.request is Ask.CONFIRM:
                posted = yield from post(self._desk, self._case, uuid, ruling.request)
                self._apply(uuid, answer(self._desk.tables.of(CONFIRMED), posted))
            elif ruling.request is not None and ruling.at_once:
                self._started += yield from self._migrate(Candidate(uuid, ruling.request))
            elif ruling.request is not None:
                self._candidates.append(Candidate(uuid, ruling.request, seen.attempt.count))
            if answer(self._desk.tables.of(WRITES), ruling):
                yield from write(self._desk, self._case, self._draft)
            if not answer(self._desk.tables.of(SCAN), ruling.back):
                return

    def _start(self, limit: int) -> Talk[None]:
        """A request that fails counts for nothing, and the next candidate has its turn in the same pass."""
        room = self._desk.tables.of(ROOM)
        for candidate in answer(self._desk.tables.of(CANDIDATES), tuple(self._candidates)):
            if not answer(room, Room(limit, self._in_flight, self._started)):
                return
            self._started += yield from self._migrate(candidate)

    def _migrate(self, candidate: Candidate) -> Talk[int]:
        """Ask; returns how many slots that takes."""
        posted = yield from post(self._desk, self._case, candidate.server, candidate.request)
        ruling: Ruling = answer(self._desk.tables.of(POSTED), posted)
        self._apply(candidate.server, replace(ruling, slot=False))
        return int(ruling.slot)

    def _apply(self, uuid: str, ruling: Ruling) -> None:
        draft = self._draft
        self._in_flight += ruling.slot
        if ruling.fails:
            draft.migrating(FAILED, ruling.fails)
        if ruling.leaves:
            draft.enqueue(without(draft.outstanding, uuid))
        if ruling.says and answer(self._desk.tables.of(CLAIM), Claim(draft.failed, len(draft.outstanding))):
            draft.succeeded(ruling.says)
        if ruling.back:
            draft.enqueue(answer(self._desk.tables.of(ORDER), Turn(draft.outstanding, uuid, self._moved_back)))
            self._moved_back = (*self._moved_back, uuid)
        if ruling.trouble:
            self._troubles.append(ruling.trouble)

    def _limit(self) -> int:
        flags, status = self._desk.flags, self._case.host_status
        current = value(self._case.hypervisor or {}, TRAITS_UPDATED) == "True"
        host = HostLimits(flags.concurrency, flags.by_trait, tuple(status.get("traits") or ()), current)
        return int(answer(self._desk.tables.of(LIMIT), host))

    def _end(self, limit: int) -> Done:
        tell, outstanding = self._desk.tell, len(self._draft.outstanding)
        if self._troubles:
            tell(
                f'INFO\tEvict\tinstances need attention this pass; will retry\t{{"err": "{"; ".join(self._troubles)}"}}'
            )
        tell(
            f'INFO\tEvict\tpoll\t{{"hypervisor": "{self._case.host}", "inFlight": {self._in_flight}, '
            f'"started": {self._started}, "outstanding": {outstanding}, "limit": {limit}}}'
        )
        passed = Passed(self._in_flight, self._started, outstanding, tuple(self._troubles))
        done: Done = answer(self._desk.tables.of(AGAIN), passed)
        return done
