"""When virt-handler's main loop looks at a VMI at all (kubevirt sheet §2.4, "When recomputed")."""

from __future__ import annotations

from lab.controllers.answers import says
from lab.controllers.decisions import Row, Table
from lab.kubevirt.handler.view import HandlerView

GUARD: Table[HandlerView] = Table(
    "virt-handler-guard",
    (
        Row("migration in progress", lambda view: view.migrating and not view.deleting, says(False)),
        Row("guest is on another node", lambda view: view.elsewhere and not view.deleting, says(False)),
        Row("not handed over", lambda view: not view.handed_over and view.domain is None, says(False)),
        Row("ours", lambda _: True, says(True)),
    ),
)
