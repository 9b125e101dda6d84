"""Faults of Nova: its scheduler, and answers that the operator gets and nobody else does.

The operator is known by its client library, so that these work with a real one as well.
"""

from __future__ import annotations

from dataclasses import replace

from lab.controllers.answers import answer, answering, says
from lab.controllers.decisions import Row
from lab.faults.fault import Fault, Rows, ahead, would
from lab.openstack.compute.external.verdicts import VERDICTS, Heard, Verdict
from lab.openstack.compute.scheduling import FILTERS, Candidate
from lab.openstack.http.requests import REQUESTS, Asked, Treatment
from lab.openstack.placement.providers import DISABLED
from lab.openstack.refusals import RefusalError

_AGENT = "gophercloud/"
_BUSY = RefusalError(503, "Service is unavailable at this time.")
_LATE = RefusalError(504, "The gateway did not get an answer in time.")


def _reads_one_in_flight(asked: Asked) -> bool:
    moving = asked.server is not None and "migrat" in (asked.server.task_state or "")
    return asked.agent.startswith(_AGENT) and asked.method == "GET" and moving


def _asks_to_move_for_the_first_time(asked: Asked) -> bool:
    return asked.agent.startswith(_AGENT) and asked.action in ("os-migrateLive", "migrate") and not asked.before


def _as_if_enabled(candidate: Candidate) -> object:
    """What the filters say of the host apart from its being disabled."""
    enabled = replace(candidate, host=replace(candidate.host, disabled=False), traits=candidate.traits - {DISABLED})
    return answer(FILTERS, enabled)


_NOT_READABLE: Row[Asked] = Row("fault: not readable", _reads_one_in_flight, says(Treatment(refusal=_BUSY)))
_REPLY_LOST: Row[Asked] = Row("fault: reply lost", _asks_to_move_for_the_first_time, says(Treatment(lost=_LATE)))


def _own_order(heard: Heard) -> Verdict:
    """The external scheduler would leave disabled hosts out."""
    return Verdict(heard.offered, used=False)


UNREADABLE: Rows = ahead(REQUESTS, _NOT_READABLE)
"""A server that migrates cannot be read by the operator."""
REPLIES_LOST: Rows = ahead(REQUESTS, _REPLY_LOST)
"""The first request to move each server is accepted, and the operator is told that it was not."""
DISABLED_HOST_CHOSEN = Fault(
    "disabled_host_chosen",
    "Nova's scheduler places servers on hosts whose compute service is disabled.",
    frozenset({"EVIC-24"}),
    {
        **ahead(FILTERS, Row("fault: disabled all the same", would(FILTERS, "disabled"), answering(_as_if_enabled))),
        **ahead(VERDICTS, Row("fault: not listened to", lambda _: True, answering(_own_order))),
    },
)
NOVA_FAULTS: tuple[Fault, ...] = (DISABLED_HOST_CHOSEN,)
