"""One server a reconcile, from the tail of the queue (operator sheet §2.2, §2.3, main branch).

Warts: a condition that is set before a request fails is never written, the error goes to the backoff; a server that is
gone overwrites an earlier failure; the success told before a confirmation is not written.
"""

from __future__ import annotations

from lab.controllers.answers import answer
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.eviction.answers import CLAIM, SERIAL_END, Claim
from lab.hypervisor_operator.eviction.asking import look, post
from lab.hypervisor_operator.eviction.case import Case
from lab.hypervisor_operator.eviction.draft import Draft
from lab.hypervisor_operator.eviction.instances import SERIAL, SHORT
from lab.hypervisor_operator.eviction.queue import ORDER, Turn, without
from lab.hypervisor_operator.eviction.rulings import Ruling, gone
from lab.hypervisor_operator.eviction.writing import write
from lab.hypervisor_operator.words import FAILED
from lab.hypervisor_operator.workers import Done


class SerialPass:
    """Looks at the last server of the queue, and does one thing about it."""

    def __init__(self, desk: Desk, case: Case) -> None:
        self._desk = desk
        self._case = case
        self._draft = Draft(case.eviction, desk.api.clock.stamp())

    def run(self) -> Talk[Done]:
        """The pass; raises ApiError when the status cannot be written."""
        uuid = self._case.outstanding[-1]
        seen = yield from look(self._desk, self._case, uuid)
        ruling: Ruling = answer(self._desk.tables.of(SERIAL), seen)
        if ruling.request is not None:
            posted = yield from post(self._desk, self._case, uuid, ruling.request)
            if posted.outcome.missing:
                return (yield from self._gone(uuid))
            return self._end(Ruling(trouble=posted.outcome.error, again=ruling.again))
        if seen.outcome.missing:
            return (yield from self._gone(uuid))
        if ruling.leaves or ruling.back:
            self._note(uuid, ruling)
            yield from write(self._desk, self._case, self._draft)
        return self._end(ruling)

    def _gone(self, uuid: str) -> Talk[Done]:
        self._draft.enqueue(without(self._draft.outstanding, uuid))
        self._draft.succeeded(gone(uuid))
        yield from write(self._desk, self._case, self._draft)
        return Done(after=SHORT)

    def _note(self, uuid: str, ruling: Ruling) -> None:
        draft = self._draft
        if ruling.fails:
            draft.migrating(FAILED, ruling.fails)
        if ruling.leaves:
            draft.enqueue(without(draft.outstanding, uuid))
        if ruling.says and answer(self._desk.tables.of(CLAIM), Claim(draft.failed, len(draft.outstanding))):
            draft.succeeded(ruling.says)
        if ruling.back:
            draft.enqueue(answer(self._desk.tables.of(ORDER), Turn(draft.outstanding, uuid)))

    def _end(self, ruling: Ruling) -> Done:
        done: Done = answer(self._desk.tables.of(SERIAL_END), ruling)
        return done
