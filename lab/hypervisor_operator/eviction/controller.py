"""The controller `eviction`: one Eviction a reconcile, all of them through one worker (operator sheet §2).

It follows Evictions only, every change of them, its own status writes included. Requests to Nova have no time-out: one
that hangs stops every eviction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.apiserver.resources import Resource
from lab.controllers.answers import answer
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.eviction.case import STAGES, Case, Stage
from lab.hypervisor_operator.eviction.draft import Draft
from lab.hypervisor_operator.eviction.instances import POLL
from lab.hypervisor_operator.eviction.listing import (
    COMPLETED,
    ENABLED,
    LISTING,
    NO_HYPERVISOR,
    PASSED,
    Listing,
    Verdict,
    arriving,
    servers,
)
from lab.hypervisor_operator.eviction.parallel import ParallelPass
from lab.hypervisor_operator.eviction.serial import SerialPass
from lab.hypervisor_operator.eviction.writing import CONTROLLER, write
from lab.hypervisor_operator.kinds import EVICTION
from lab.hypervisor_operator.requests import Outcome, hypervisor, migrations
from lab.hypervisor_operator.words import EVICTING, FAILED, PREFLIGHT, RUNNING, SUCCEEDED
from lab.hypervisor_operator.workers import Done, Names, itself

Pass = type[ParallelPass] | type[SerialPass]


class EvictionController:
    """Drains hypervisors, `step` servers at a time."""

    name = CONTROLLER

    def __init__(self, desk: Desk, step: Pass) -> None:
        self._desk = desk
        self._step = step
        self._stages: Mapping[Stage, Callable[[Case], Talk[Done]]] = {
            Stage.NOTHING: self._nothing,
            Stage.BEGIN: self._begin,
            Stage.TELL_ENABLED: self._tell_enabled,
            Stage.WAIT_DISABLED: self._wait_disabled,
            Stage.LIST: self._list,
            Stage.EVICT: self._evict,
            Stage.LOOK_AGAIN: self._look_again,
            Stage.FINISH: self._finish,
        }

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Evictions. Hypervisors are not followed."""
        return {EVICTION: itself}

    def reconcile(self, name: str) -> Talk[Done]:
        """Do what the stage of this Eviction asks for."""
        eviction = self._desk.api.find(EVICTION, "", name)
        if eviction is None:
            return Done()
        case = Case(eviction, self._desk.hypervisor(eviction["spec"]["hypervisor"]))
        return (yield from self._stages[answer(self._desk.tables.of(STAGES), case)](case))

    def _nothing(self, _: Case) -> Talk[Done]:
        yield from ()
        return Done()

    def _begin(self, case: Case) -> Talk[Done]:
        return (yield from self._say(case, EVICTING, True, RUNNING, "Running"))

    def _tell_enabled(self, case: Case) -> Talk[Done]:
        return (yield from self._say(case, PREFLIGHT, False, FAILED, ENABLED))

    def _wait_disabled(self, _: Case) -> Talk[Done]:
        yield from ()
        return Done(after=POLL)

    def _list(self, case: Case) -> Talk[Done]:
        outcome = yield from self._desk.session.call(hypervisor(case.hypervisor_id))
        verdict: Verdict = answer(self._desk.tables.of(LISTING), Listing(outcome, case.registered))
        if verdict is Verdict.RETRY:
            return Done(error=outcome.error)
        if verdict is Verdict.ABORT:
            return (yield from self._say(case, EVICTING, False, FAILED, f"failed to get hypervisor {outcome.error}"))
        draft = self._draft(case)
        if verdict is Verdict.NOTHING_THERE:
            draft.set("outstandingRamMb", 0)
            draft.say(EVICTING, False, SUCCEEDED, NO_HYPERVISOR)
        else:
            self._note_servers(draft, outcome)
            draft.say(PREFLIGHT, True, SUCCEEDED, PASSED)
        yield from write(self._desk, case, draft)
        return Done()

    def _evict(self, case: Case) -> Talk[Done]:
        return (yield from self._step(self._desk, case).run())

    def _look_again(self, case: Case) -> Talk[Done]:
        """Only with the fix: finish when nothing is on the host, and nothing is on its way there."""
        outcome = yield from self._desk.session.call(hypervisor(case.hypervisor_id))
        if outcome.missing:
            return (yield from self._finish(case))
        if outcome.error:
            return Done(error=outcome.error)
        draft = self._draft(case)
        self._note_servers(draft, outcome)
        if draft.outstanding:
            yield from write(self._desk, case, draft)
            return Done()
        moving = yield from self._desk.session.call(migrations(case.host))
        if moving.error:
            return Done(error=moving.error)
        if arriving(moving, case.host):
            return Done(after=POLL)
        return (yield from self._finish(case))

    def _finish(self, case: Case) -> Talk[Done]:
        draft = self._draft(case)
        draft.set("outstandingRamMb", 0)
        draft.say(EVICTING, False, SUCCEEDED, COMPLETED)
        yield from write(self._desk, case, draft)
        return Done()

    def _say(self, case: Case, kind: str, status: bool, reason: str, message: str) -> Talk[Done]:
        draft = self._draft(case)
        draft.say(kind, status, reason, message)
        yield from write(self._desk, case, draft)
        return Done()

    def _note_servers(self, draft: Draft, outcome: Outcome) -> None:
        found = servers(outcome)
        if found is not None:
            draft.enqueue(found)
        body = outcome.body.get("hypervisor") or {}
        draft.set("hypervisorServiceId", str(body.get("id", "")))  # the hypervisor's id, whatever the field is called
        draft.set("outstandingRamMb", int(body.get("memory_mb_used") or 0))

    def _draft(self, case: Case) -> Draft:
        return Draft(case.eviction, self._desk.api.clock.stamp())
