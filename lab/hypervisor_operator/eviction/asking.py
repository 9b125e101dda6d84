"""Requests about one server, and what is remembered of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.eviction.answers import Posted
from lab.hypervisor_operator.eviction.case import Case
from lab.hypervisor_operator.eviction.rulings import Ask, Seen
from lab.hypervisor_operator.requests import Request, cold_migrate, confirm_resize, live_migrate, server

_REQUESTS: Mapping[Ask, Callable[[str], Request]] = {
    Ask.LIVE: live_migrate,
    Ask.COLD: cold_migrate,
    Ask.CONFIRM: confirm_resize,
}


def look(desk: Desk, case: Case, uuid: str) -> Talk[Seen]:
    """Get one server."""
    outcome = yield from desk.session.call(server(uuid))
    return Seen(uuid, outcome, case.host, desk.memory.attempt(case.eviction, uuid), desk.api.clock.now())


def post(desk: Desk, case: Case, uuid: str, request: Ask) -> Talk[Posted]:
    """Ask Nova to move a server, or to confirm that it has moved."""
    desk.tell(f'INFO\tEvict\t{request}\t{{"hypervisor": "{case.host}", "server": "{uuid}"}}')
    outcome = yield from desk.session.call(_REQUESTS[request](uuid))
    if not outcome.error and request is not Ask.CONFIRM:
        desk.memory.note(case.eviction, uuid, desk.api.clock.now())
    return Posted(uuid, request, outcome)
