"""Live migration as a table: from the conductor to the end of the record (openstack sheet §5). First match wins."""

from __future__ import annotations

from collections.abc import Callable

from lab.controllers.decisions import Row, Table, hold
from lab.openstack.compute.external.searches import Phase
from lab.openstack.compute.records import Stage
from lab.openstack.compute.servers import Fault
from lab.openstack.compute.steps import Mark, Move, Step, at, begin_search, both, over, searched, step, takes

CONDUCTOR, SOURCE = "conductor_live_migrate_instance", "compute_live_migration"
PREPARE, POST = "compute_pre_live_migration", "compute_post_live_migration_at_destination"
ROLLBACK = "compute_rollback_live_migration_at_destination"
_CHECKS = ("compute_check_can_live_migrate_destination", "compute_check_can_live_migrate_source")


def _no_host(move: Move) -> Step:
    """The fault stays hidden until the server is in ERROR for another reason."""
    reason = move.choose().reason
    fault = Fault(400, reason, move.now)
    return Step(over("error"), {**move.restored, "fault": fault}, marks=(Mark(CONDUCTOR, error=reason),))


def _chosen(move: Move) -> Step:
    target = move.choose().host
    if target is None:
        raise LookupError(f"migration {move.record.id} has no target")
    record = {
        "stage": Stage.CHOSEN,
        "dest_compute": target.name,
        "dest_node": target.node,
        "dest_host": target.ip,
    }
    return Step(record, claim="target", marks=tuple(Mark(name, target.name) for name in _CHECKS))


def _queued(move: Move) -> Step:
    marks = (Mark(CONDUCTOR), Mark(SOURCE, move.source.name))
    return Step({"status": "queued", "stage": Stage.QUEUED}, marks=marks)


def _take_slot(move: Move) -> Step:
    began = Mark(PREPARE, move.record.dest_compute or "", began=True)
    return Step({"status": "preparing", "stage": Stage.PREPARING}, marks=(began,))


def _unprepared(move: Move) -> Step:
    name = move.record.dest_compute or ""
    failed = Mark(PREPARE, name, error=f"Compute service of {name} is unavailable at this time.")
    return Step({"status": "error", "stage": Stage.ROLLING_BACK}, marks=(failed,))


def _rolled_back(move: Move) -> Step:
    rolled = Mark(ROLLBACK, move.record.dest_compute or "")
    return Step(over("failed"), move.restored, claim="back", marks=(rolled,))


def _copy(move: Move) -> Step:
    return Step(
        {"status": "running", "stage": Stage.COPYING},
        transfer="start",
        marks=(Mark(PREPARE, move.record.dest_compute or ""),),
    )


def cancelled(move: Move) -> Step:
    """The attempt ends, the server stays."""
    marks = (Mark(ROLLBACK, move.record.dest_compute or ""),) if move.record.stage is Stage.COPYING else ()
    return Step(over("cancelled"), move.restored, "stop", "back", marks)


def failed(move: Move) -> Step:
    """The hypervisor's job fails, the server stays."""
    rolled = Mark(ROLLBACK, move.record.dest_compute or "")
    return Step(over("failed"), move.restored, "stop", "back", (rolled,))


def _arrived(move: Move) -> Step:
    """On the target; with no lag the record ends in the same step."""
    record = {"stage": Stage.ARRIVED} if move.options.record_lag else over("completed")
    posted = Mark(POST, move.record.dest_compute or "")
    return Step(record, {**move.arrived, **move.restored}, "stop", "settle", (posted,))


def _gone(_: Move) -> Step:
    """The server went, or somebody said by `os-resetState` that it does not migrate."""
    return Step(over("error"), transfer="stop", claim="back")


def _force(move: Move) -> Step:
    """By post-copy where that is permitted (the next row sees to it), else the guest has to stand still."""
    permitted = move.options.live_migration_permit_post_copy
    return Step({"force": True}, transfer="" if permitted else "suspend")


_needs_task = at(
    Stage.CONDUCTED, Stage.CHOSEN, Stage.QUEUED, Stage.PREPARING, Stage.COPYING, Stage.POST_COPY, Stage.CUT_OFF
)


def _interrupted(_: Move) -> Step:
    """The guest stays; its task is reset once nova-compute is back."""
    return Step(over("error"), {"task_state": None, "progress": 0}, claim="back")


def broken(message: str) -> Callable[[Move], Step]:
    """The driver raises: the record and the server end in error, the server where it is (no sound row does this)."""

    def make(move: Move) -> Step:
        fault = Fault(500, message, move.now)
        server = {"vm_state": "error", "task_state": None, "progress": 0, "fault": fault}
        return Step(over("error"), server, "stop", "back")

    return make


def _forced(move: Move) -> bool:
    """Whether the copy has to end now, whatever the guest does."""
    return move.record.force and not move.record.copied


_post_copy_allowed = both(_forced, lambda move: move.options.live_migration_permit_post_copy)

LIVE: Table[Move] = Table(
    "nova-live-migration",
    (
        Row("over", at(Stage.OVER), hold),
        Row("the server is gone", lambda move: move.server.deleted, step(_gone)),
        Row("the server is being deleted", lambda move: move.server.task_state == "deleting", hold),
        Row("the task was reset", both(_needs_task, lambda move: move.server.task_state != "migrating"), step(_gone)),
        Row("asks the external scheduler", both(at(Stage.CONDUCTED), searched(Phase.OPEN)), begin_search,
            takes("schedule")),
        Row("waits for the external scheduler", both(at(Stage.CONDUCTED), searched(Phase.ASKED)), hold),
        Row(
            "no valid host",
            both(at(Stage.CONDUCTED), lambda move: move.choose().host is None),
            step(_no_host),
            takes("schedule"),
        ),
        Row("target chosen", at(Stage.CONDUCTED), step(_chosen), takes("schedule")),
        Row(
            "cut off in the queue",
            both(at(Stage.QUEUED), lambda move: move.record.interrupted),
            step(lambda _: Step(over("cancelled"), claim="back")),
        ),
        Row(
            "cut off in mid-flight",
            lambda move: move.record.interrupted and not move.source.up and move.record.stage is not Stage.CUT_OFF,
            step(lambda _: Step({"stage": Stage.CUT_OFF}, transfer="stop")),
        ),
        Row("source is away", both(at(Stage.CUT_OFF), lambda move: not move.source.up), hold),
        Row("source is back", at(Stage.CUT_OFF), step(_interrupted)),
        Row("source does not answer", both(at(Stage.CHOSEN), lambda move: not move.source.alive), hold),
        Row("queued", at(Stage.CHOSEN), step(_queued), takes("cast")),
        Row(
            "cancelled before it ran",
            both(at(Stage.QUEUED, Stage.PREPARING), lambda move: move.record.abort),
            step(cancelled),
        ),
        Row("waits for a slot", both(at(Stage.QUEUED), lambda move: not move.turn), hold),
        Row("slot taken", at(Stage.QUEUED), step(_take_slot)),
        Row(
            "target does not answer",
            both(at(Stage.PREPARING), lambda move: move.target is None or not move.target.alive),
            step(_unprepared),
        ),
        Row("rolled back", at(Stage.ROLLING_BACK), step(_rolled_back), takes("roll-back")),
        Row("prepared", at(Stage.PREPARING), step(_copy), takes("prepare")),
        Row("cancelled", both(at(Stage.COPYING), lambda move: move.record.abort), step(cancelled)),
        Row("arrived", both(at(Stage.COPYING, Stage.POST_COPY), lambda move: move.record.copied), step(_arrived)),
        Row(
            "post-copy",
            both(at(Stage.COPYING), _post_copy_allowed),
            step(lambda _: Step({"status": "running (post-copy)", "stage": Stage.POST_COPY}, transfer="post-copy")),
        ),
        Row(
            "target lost",
            both(at(Stage.COPYING), lambda move: move.target is None or not move.target.up),
            step(failed),
        ),
        Row("copies", both(at(Stage.COPYING), lambda move: move.limit == 0 or move.record.force), hold),
        Row(
            "not in time: forced",
            both(at(Stage.COPYING), lambda move: move.options.live_migration_timeout_action == "force_complete"),
            step(_force),
            lambda move: move.limit,
        ),
        Row("not in time: cancelled", at(Stage.COPYING), step(cancelled), lambda move: move.limit),
        Row("record closed", at(Stage.ARRIVED), step(lambda _: Step(over("completed"))),
            lambda move: move.options.record_lag),
    ),
    since=lambda move: move.record.entered,
)  # fmt: skip
