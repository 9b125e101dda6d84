"""One process of the operator, from its command line to its end. What it remembers ends with it (operator sheet §4)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping

from lab.apiserver.api import Api
from lab.controllers.decisions import Faults
from lab.hypervisor_operator import ready, taints
from lab.hypervisor_operator.aggregates import AggregatesController
from lab.hypervisor_operator.conversations import Conversation
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.eviction.controller import EvictionController
from lab.hypervisor_operator.eviction.parallel import ParallelPass
from lab.hypervisor_operator.eviction.serial import SerialPass
from lab.hypervisor_operator.flags import Flags, StartError, read
from lab.hypervisor_operator.logs import Log
from lab.hypervisor_operator.maintenance import MaintenanceController
from lab.hypervisor_operator.memory import Memory
from lab.hypervisor_operator.programs import Program
from lab.hypervisor_operator.session import Session, SessionError
from lab.hypervisor_operator.tables import Tables
from lab.hypervisor_operator.traits import TraitsController
from lab.hypervisor_operator.wire import Nova
from lab.hypervisor_operator.workers import Worker


class Process:
    """Starts when it is made; `exited` is called with the exit code if it ends by itself.

    Controllers work from `lead` on: at once, or when it has the lease.
    """

    def __init__(
        self,
        api: Api,
        nova: Nova,
        program: Program,
        faults: Faults,
        rng: random.Random,
        account: str,
        log: Log,
        exited: Callable[[int], None],
    ) -> None:
        self.log = log
        self.flags = Flags()
        self._api = api
        self._nova = nova
        self._program = program
        self._tables = Tables(faults, program.fixes)
        self._rng = rng
        self._account = account
        self._exited = exited
        self._workers: list[Worker] = []
        self._login: Conversation[None] | None = None
        self._session: Session | None = None
        self._logged_in = False
        self._leads = False
        self._over = False

    def start(self, arguments: Iterable[str], environment: Mapping[str, str]) -> None:
        """Read the command line and log in; either may end it."""
        try:
            self.flags = read(arguments, self._tables, parallel=self._program.parallel)
        except StartError as error:
            self._end(error.words, error.code)
            return
        session = Session(environment)
        self._session = session
        self._login = Conversation(
            session.open(), self._nova, self._api.clock, self._ready, self._refused, (SessionError,)
        )
        self._login.advance()

    def lead(self) -> None:
        """It is the one that works."""
        self._leads = True
        self._work()

    @property
    def leader_elect(self) -> bool:
        """Whether it works only with the lease."""
        return self.flags.leader_elect

    def probe(self, answered: Callable[[bool], None]) -> None:
        """It is ready as soon as somebody asks."""
        answered(True)

    def end(self, ended: Callable[[], None]) -> None:
        """End it at once."""
        self.stop()
        ended()

    def stop(self) -> None:
        """End it: nothing that is under way is gone on with."""
        self._over = True
        if self._login is not None:
            self._login.abandon()
        for worker in self._workers:
            worker.stop()

    def tell(self, line: str) -> None:
        """Write a line into the log."""
        self.log.write(self._api.clock.now(), line)

    def _ready(self, _: None) -> None:
        self._logged_in = True
        self.tell("INFO\tsetup\tstarting manager")
        self._work()

    def _refused(self, error: Exception) -> None:
        text = (
            f'ERROR\tsetup\tunable to create controller\t{{"controller": "HypervisorMaintenance", "error": "{error}"}}'
        )
        self._end(text, 1)

    def _end(self, words: str, code: int) -> None:
        if words:
            self.tell(words)
        self.stop()
        self._exited(code)

    def _work(self) -> None:
        if not self._leads or not self._logged_in or self._workers or self._over or self._session is None:
            return
        desk = Desk(
            self._api, self._session, self._tables, self.flags, Memory(), self._rng, self.tell, self._account
        )  # fmt: skip
        logics = (
            MaintenanceController(desk),
            ready.controller(desk),
            EvictionController(desk, ParallelPass if self._program.parallel else SerialPass),
            taints.controller(desk),
            TraitsController(desk),
            AggregatesController(desk),
        )
        self._workers = [Worker(logic, self._api, self._nova, self._rng, self.tell) for logic in logics]
        for worker in self._workers:
            worker.start()
