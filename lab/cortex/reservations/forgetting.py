"""The task that forgets Histories of VMs that are gone, as the product's `nova-history-cleanup-task` does each hour."""

from __future__ import annotations

from lab.clock import Timer
from lab.cortex.kinds import DOMAIN, HISTORY, RESERVATION
from lab.cortex.reservations.desk import Desk
from lab.cortex.reservations.vms import Vms

_PERIOD = 3600.0  # product seconds


class Forgetting:
    """Runs at the start of a process and each hour after it."""

    def __init__(self, desk: Desk, vms: Vms) -> None:
        self._desk = desk
        self._vms = vms
        self._timer: Timer | None = None

    def start(self) -> None:
        """Begin; ends with `stop`."""
        self._timer = self._desk.api.clock.call_later(0.0, self._run)

    def stop(self) -> None:
        """End at once."""
        if self._timer is not None:
            self._timer.cancel()

    def _run(self) -> None:
        self._timer = self._desk.api.clock.call_later(_PERIOD, self._run)
        if not self._desk.alive():
            return
        slots = {obj["metadata"]["name"] for obj in self._desk.stored(RESERVATION)}
        for obj in list(self._desk.stored(HISTORY)):
            spec = obj["spec"]
            known = spec["resourceID"] in slots or self._vms.exists(spec["resourceID"])
            if spec["schedulingDomain"] == DOMAIN and not known:
                self._desk.delete(HISTORY, obj["metadata"]["name"])
