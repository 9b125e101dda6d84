"""The copying of running servers: the lab's pre-copy arithmetic, with the statistics that Nova saves (sheet §5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.clock import Clock, Timer
from lab.controllers.answers import answer, answering
from lab.controllers.decisions import Row, Table
from lab.copying.copier import Copier, Surroundings
from lab.openstack.compute.guests import Guests
from lab.openstack.compute.records import Bytes, Record, Stage
from lab.openstack.compute.servers import Server
from lab.openstack.compute.state import State
from lab.openstack.shape import NovaOptions

MONITOR = 5.0  # seconds between two saved statistics: live_migration_monitor_interval
_SWITCH = 0.05  # seconds of every hand-over for what is not memory


@dataclass(frozen=True, slots=True)
class Line:
    """The line of one migration."""

    record: Record
    server: Server
    link: float  # bytes per second


BANDWIDTH: Table[Line] = Table(
    "nova-migration-bandwidth", (Row("the link", lambda _: True, answering(lambda line: line.link)),)
)


@dataclass(slots=True)
class _Transfer:
    copier: Copier
    memory: int
    disk: int
    monitor: Timer | None = None
    end: Timer | None = None
    handing_over: bool = False


class Transfers:
    """Copies under way by the number of their record; `copied` is told when nothing is left to copy."""

    def __init__(
        self,
        state: State,
        guests: Guests,
        options: NovaOptions,
        link: float,
        bandwidth: Table[Line],
        copied: Callable[[int], None],
    ) -> None:
        self._state = state
        self._clock: Clock = state.clock
        self._guests = guests
        self._options = options
        self._link = link
        self._bandwidth = bandwidth
        self._copied = copied
        self._running: dict[int, _Transfer] = {}

    def start(self, record: Record, server: Server) -> None:
        """Begin to copy the memory, and local disks with it."""
        memory = server.flavor.ram * 2**20
        disk = server.flavor.disk * 2**30 if server.disk == "local" or record.order.block else 0
        surroundings = Surroundings(
            self._clock,
            lambda: float(answer(self._bandwidth, Line(record, server, self._link), self._link)),
            lambda: self._guests.load(server.id),
            lambda pending: self._converged(record.id, server.id, pending),
        )
        converge = self._options.live_migration_permit_auto_converge
        copier = Copier(memory + disk, converge, surroundings)
        transfer = self._running[record.id] = _Transfer(copier, memory, disk)
        self._save(record.id, transfer, memory + disk)
        copier.go_on()
        copier.allow(self._options.live_migration_downtime / 1000)
        self._watch(record.id)

    def suspend(self, record: Record, server: Server) -> None:
        """Stop the guest so that the copy ends."""
        transfer = self._running[record.id]
        if not transfer.handing_over:
            self._guests.stop_cpus(server.id)
            transfer.copier.touch()

    def post_copy(self, record: Record, server: Server) -> None:
        """Let the guest go on at the target and fetch the rest from there."""
        transfer = self._running[record.id]
        if transfer.handing_over:
            return
        pending = transfer.copier.pending()
        transfer.copier.stop()
        self._guests.switch(server.id)
        self._hand_over(record.id, server.id, pending, stops=False)

    def stop(self, record: Record, server: Server) -> None:
        """No more copying, whyever; the guest goes on."""
        transfer = self._running.pop(record.id, None)
        if transfer is None:
            return
        transfer.copier.stop()
        for timer in (transfer.monitor, transfer.end):
            if timer is not None:
                timer.cancel()
        self._guests.go_on(server)

    def _converged(self, number: int, server_id: str, pending: float) -> None:
        self._hand_over(number, server_id, pending, stops=True)

    def _hand_over(self, number: int, server_id: str, pending: float, *, stops: bool) -> None:
        transfer = self._running[number]
        transfer.handing_over = True
        if stops:
            self._guests.stop_cpus(server_id)
        self._save(number, transfer, int(pending))
        takes = pending / self._rate(number, server_id) + _SWITCH
        transfer.end = self._clock.call_later(takes, self._over, number, transfer)

    def _rate(self, number: int, server_id: str) -> float:
        record, server = self._state.record(number), self._state.any_server(server_id)
        if record is None or server is None:
            raise LookupError(f"migration {number} has no record or no server")
        return float(answer(self._bandwidth, Line(record, server, self._link), self._link)) or self._link

    def _over(self, number: int, transfer: _Transfer) -> None:
        self._save(number, transfer, 0)
        self._copied(number)

    def _watch(self, number: int) -> None:
        transfer = self._running[number]
        transfer.monitor = self._clock.call_later(MONITOR, self._look, number)

    def _look(self, number: int) -> None:
        transfer = self._running[number]
        if not transfer.handing_over:
            self._save(number, transfer, int(transfer.copier.pending()))
            transfer.copier.go_on()
        self._watch(number)

    def _save(self, number: int, transfer: _Transfer, remaining: int) -> None:
        """Statistics touch the record and the server; disks are through before the memory is."""
        record = self._state.record(number)
        if record is None or record.stage in (Stage.OVER, Stage.ARRIVED):
            return
        total = transfer.memory + transfer.disk
        memory_left = min(transfer.memory, remaining)
        disk_left = min(transfer.disk, remaining - memory_left)
        self._state.change_record(
            number,
            {
                "memory": Bytes(transfer.memory, transfer.memory - memory_left, memory_left),
                "disk": Bytes(transfer.disk, transfer.disk - disk_left, disk_left),
            },
        )
        server = self._state.server(record.server_id)
        if server is not None and server.task_state == "migrating":
            self._state.change_server(server.id, {"progress": 100 - remaining * 100 // total})
