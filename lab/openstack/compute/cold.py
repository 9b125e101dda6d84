"""Cold migration as a table, with its confirmation or its way back (openstack sheet §5). First match wins."""

from __future__ import annotations

from lab.controllers.decisions import Row, Table, hold
from lab.openstack.compute.external.searches import Phase
from lab.openstack.compute.records import Stage
from lab.openstack.compute.servers import RUNNING, SHUTDOWN, Fault
from lab.openstack.compute.steps import Mark, Move, Step, at, begin_search, both, over, searched, step, takes

CONDUCTOR, SCHEDULE, PREP = "conductor_migrate_server", "cold_migrate", "compute_prep_resize"
RESIZE, FINISH, CONFIRM = "compute_resize_instance", "compute_finish_resize", "compute_confirm_resize"
TASKS = ("resize_prep", "resize_migrating", "resize_migrated")
REVERT, FINISH_REVERT = "compute_revert_resize", "compute_finish_revert_resize"


def _no_host(move: Move) -> Step:
    reason = move.choose().reason
    server = {**move.restored, "fault": Fault(400, reason, move.now)}
    return Step(over("error"), server, marks=(Mark(SCHEDULE, error=reason), Mark(CONDUCTOR, error=reason)))


def _prepared(move: Move) -> Step:
    target = move.choose().host
    if target is None:
        raise LookupError(f"migration {move.record.id} has no target")
    return Step(
        {
            "status": "migrating",
            "stage": Stage.COPYING,
            "dest_compute": target.name,
            "dest_node": target.node,
            "dest_host": target.ip,
        },
        {"task_state": "resize_migrating"},
        "power-off",
        "target",
        (Mark(SCHEDULE), Mark(CONDUCTOR), Mark(PREP, target.name), Mark(RESIZE, move.source.name, began=True)),
    )


def _moved(move: Move) -> Step:
    return Step(
        {"status": "post-migrating", "stage": Stage.MOVED},
        {"task_state": "resize_migrated", **move.arrived},
        marks=(Mark(RESIZE, move.source.name), Mark(FINISH, move.record.dest_compute or "", began=True)),
    )


def _finished(move: Move) -> Step:
    running = move.server.old_vm_state != "stopped"
    return Step(
        {"status": "finished", "stage": Stage.FINISHED},
        {
            "vm_state": "resized",
            "task_state": None,
            "power_state": RUNNING if running else SHUTDOWN,
            "launched": move.now,
        },
        "power-on" if running else "",
        marks=(Mark(FINISH, move.record.dest_compute or ""),),
    )


def _confirmed(move: Move) -> Step:
    return Step(
        over("confirmed"),
        {"vm_state": move.server.old_vm_state, "task_state": None},
        claim="settle",
        marks=(Mark(CONFIRM, move.source.name),),
        action="confirmResize",
    )


def _reverted(move: Move) -> Step:
    running = move.server.old_vm_state != "stopped"
    return Step(
        over("reverted"),
        {
            "vm_state": move.server.old_vm_state,
            "task_state": None,
            "host": move.source.name,
            "node": move.source.node,
        },
        "power-on" if running else "",
        "back",
        (Mark(REVERT, move.record.dest_compute or ""), Mark(FINISH_REVERT, move.source.name)),
        "revertResize",
    )


def _reset(move: Move) -> Step:
    """Somebody said by `os-resetState` that it does not migrate: it stays where it is by now, powered on."""
    moved = move.record.stage is Stage.MOVED
    off = move.record.stage in (Stage.COPYING, Stage.MOVED) and move.server.power_state == RUNNING
    return Step(over("error"), transfer="power-on" if off else "", claim="settle" if moved else "back")


_needs_task = at(Stage.CONDUCTED, Stage.COPYING, Stage.MOVED)

COLD: Table[Move] = Table(
    "nova-cold-migration",
    (
        Row("over", at(Stage.OVER), hold),
        Row("the server is gone", lambda move: move.server.deleted, step(lambda _: Step(over("error"), claim="back"))),
        Row("the server is being deleted", lambda move: move.server.task_state == "deleting", hold),
        Row("the task was reset", both(_needs_task, lambda move: move.server.task_state not in TASKS), step(_reset)),
        Row("asks the external scheduler", both(at(Stage.CONDUCTED), searched(Phase.OPEN)), begin_search,
            takes("prep-resize")),
        Row("waits for the external scheduler", both(at(Stage.CONDUCTED), searched(Phase.ASKED)), hold),
        Row(
            "no valid host",
            both(at(Stage.CONDUCTED), lambda move: move.choose().host is None),
            step(_no_host),
            takes("schedule"),
        ),
        Row("prepared", at(Stage.CONDUCTED), step(_prepared), takes("prep-resize")),
        Row("moved", at(Stage.COPYING), step(_moved), takes("move-disks")),
        Row("finished", at(Stage.MOVED), step(_finished), takes("finish-resize")),
        Row("waits for confirmation", both(at(Stage.FINISHED), lambda move: not move.options.resize_confirm_window),
            hold),
        Row("confirmed by itself", at(Stage.FINISHED),
            step(lambda _: Step({"status": "confirming", "stage": Stage.CONFIRMING})),
            lambda move: float(move.options.resize_confirm_window)),
        Row("confirmed", at(Stage.CONFIRMING), step(_confirmed), takes("confirm")),
        Row("reverted", at(Stage.REVERTING), step(_reverted), takes("revert")),
    ),
    since=lambda move: move.record.entered,
)  # fmt: skip
