"""Phase and Paused condition as the domain has it (kubevirt sheet §2.3, §2.4)."""

from __future__ import annotations

from lab.controllers.answers import answering, says
from lab.controllers.decisions import Row, Table
from lab.kubevirt.handler.view import HandlerView


def _outcome(*wanted: str) -> Row[HandlerView]:
    phase = "Succeeded" if "shutdown" in wanted else "Failed"
    return Row(
        f"guest {' or '.join(wanted)}",
        lambda view: view.domain is not None and view.domain.outcome in wanted,
        says(phase),
    )


PHASES: Table[HandlerView] = Table(
    "virt-handler-phase",
    (
        Row("final", lambda view: view.final, answering(lambda view: view.phase)),
        _outcome("shutdown"),
        Row(
            "killed as asked: no grace was given",
            lambda view: view.domain is not None and view.domain.outcome == "destroyed" and view.grace == 0,
            says("Succeeded"),
        ),
        _outcome("crashed", "destroyed"),
        Row("runs", lambda view: view.domain is not None, says("Running")),
        Row("lost its domain", lambda view: view.phase == "Running", says("Failed")),
        Row("launcher is gone", lambda view: view.launcher_gone, says("Failed")),
        Row("no domain yet", lambda _: True, answering(lambda view: view.phase)),
    ),
)

PAUSED: Table[HandlerView] = Table(
    "virt-handler-paused",
    (
        Row("runs", lambda view: view.domain is None or not view.domain.paused, says(None)),
        Row(
            "by the user",
            lambda view: view.domain is not None and view.domain.user_paused,
            says(("PausedByUser", "VMI was paused by user")),
        ),
        Row("for a migration: not shown since the loops were split", lambda _: True, says(None)),
    ),
)
