"""Gauges about reservations, computed at each scrape (cortex sheet §7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.conditions import condition
from lab.cortex.kinds import RESERVATION
from lab.cortex.metrics.series import Gauge
from lab.cortex.scheduling.amounts import amounts


def reservation_gauges(api: Api) -> Iterable[Gauge]:
    """How many there are, and what they hold on which host (by status.host)."""
    number = Gauge("cortex_reservations", "Reservations by readiness and error.", ("status_ready", "status_error"))
    held = Gauge(
        "cortex_reservations_allocated_resources",
        "Resources of reservations by host.",
        ("status_ready", "status_error", "host", "resource"),
    )
    for snapshot in api.store.scan(RESERVATION.key):
        found: Any = snapshot.obj
        status = found.get("status") or {}
        ready = condition(status, "Ready") or {"status": "Unknown"}
        error = ready.get("message", "").replace(",", ";") if ready["status"] == "False" else ""
        number.add(ready["status"], error, by=1)
        for resource, amount in amounts(found["spec"].get("resources")).items():
            held.add(ready["status"], error, status.get("host", ""), resource, by=float(amount))
    return number, held
