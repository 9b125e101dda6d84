"""The decision per server, in the order in which the operator takes it (operator sheet §2.2)."""

from __future__ import annotations

from lab.controllers.decisions import Table
from lab.hypervisor_operator.eviction.rulings import Ask, Ruling, Seen, failed, finished, gone, row, terminating

POLL, SHORT = 10.0, 1.0  # product seconds between two looks; when nothing moves
_error = "error migrating instance {}".format


def _confirm(again: float | None = None) -> Ruling:
    return Ruling(slot=True, request=Ask.CONFIRM, again=again)


def _elsewhere_unconfirmed(seen: Seen) -> bool:
    return seen.elsewhere and seen.status == "VERIFY_RESIZE"


PARALLEL: Table[Seen] = Table(
    "eviction-instance-parallel",
    (
        row("gone", lambda seen: seen.outcome.missing, lambda seen: Ruling(leaves=True, says=gone(seen.uuid))),
        row(
            "unreadable", lambda seen: bool(seen.outcome.error), lambda seen: Ruling(trouble=seen.outcome.error)
        ),  # wart: not counted as in flight, though it may be (§8 row 2)
        row("under way", lambda seen: seen.under_way, lambda _: Ruling(slot=True)),
        row(
            "in error",
            lambda seen: seen.status == "ERROR",
            lambda seen: Ruling(back=True, fails=failed(seen), trouble=_error(seen.uuid)),
        ),  # wart: on any host, so that one that failed after its move never leaves the queue (§2.8)
        row("set off", lambda seen: seen.set_off, lambda _: Ruling(slot=True)),
        row("arrived, unconfirmed", _elsewhere_unconfirmed, lambda _: _confirm()),
        row("moved", lambda seen: seen.elsewhere, lambda seen: Ruling(leaves=True, says=finished(seen.uuid))),
        row(
            "being deleted",
            lambda seen: seen.task == "deleting",
            lambda seen: Ruling(slot=True, back=True, fails=terminating(seen.uuid)),
        ),  # wart: holds a slot, at limit 1 the only one (§2.8)
        row("running", lambda seen: seen.runs, lambda _: Ruling(request=Ask.LIVE)),
        row("not running", lambda _: True, lambda _: Ruling(request=Ask.COLD)),
    ),
)
"""Answers a Ruling, in the form of pull request 353."""
SERIAL: Table[Seen] = Table(
    "eviction-instance-serial",
    (
        row(
            "gone",
            lambda seen: seen.outcome.missing,
            lambda seen: Ruling(leaves=True, says=gone(seen.uuid), again=SHORT),
        ),
        row("unreadable", lambda seen: bool(seen.outcome.error), lambda seen: Ruling(trouble=seen.outcome.error)),
        row("under way", lambda seen: seen.under_way, lambda _: Ruling(again=POLL)),
        row(
            "in error",
            lambda seen: seen.status == "ERROR",
            lambda seen: Ruling(back=True, fails=failed(seen), trouble=_error(seen.uuid)),
        ),
        row("arrived, unconfirmed", _elsewhere_unconfirmed, lambda _: _confirm(SHORT)),
        row("moved", lambda seen: seen.elsewhere, lambda seen: Ruling(leaves=True, says=finished(seen.uuid))),
        row(
            "being deleted",
            lambda seen: seen.task == "deleting",
            lambda seen: Ruling(back=True, fails=terminating(seen.uuid), again=POLL),
        ),
        row("running", lambda seen: seen.runs, lambda _: Ruling(request=Ask.LIVE, again=POLL)),
        row("not running", lambda _: True, lambda _: Ruling(request=Ask.COLD, again=POLL)),
    ),
)
"""Answers a Ruling, in the form of the main branch: the task state of a migration is not looked at."""
