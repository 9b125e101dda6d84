"""The launchers' migration engine: all jobs, one per VMI at a time (kubevirt sheet §5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.store import Change
from lab.clock import Clock, timestamp
from lab.controllers.answers import answer, answering
from lab.controllers.decisions import Faults, Row, Table
from lab.controllers.effects import Effect, perform
from lab.copying.memory import Load
from lab.kubevirt.domains import Domain, Domains
from lab.kubevirt.facts import Json, phase, uid
from lab.kubevirt.migration.job import ABORTS, OUTCOMES, Job, Order
from lab.kubevirt.migration.monitor import MONITOR
from lab.kubevirt.migration.names import FINAL

CALLER = Caller("virt-launcher", ("system:masters",), "virt-launcher")  # only rows of faults write from here


BROKEN = "operation failed: migration out job: Unable to write to socket: Connection reset by peer"


class JobError(Exception):
    """The launcher does not start this migration."""


@dataclass(frozen=True, slots=True)
class Line:
    """The line between two nodes, for one job; bytes per second."""

    link: float
    cap: float  # 0: none

    @property
    def rate(self) -> float:
        """What the job gets."""
        return min(self.link, self.cap) if self.cap else self.link


BANDWIDTH: Table[Line] = Table(
    "migration-bandwidth", (Row("policy cap or link", lambda _: True, answering(lambda line: line.rate)),)
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A guest about to arrive in a pod that holds these mediated devices."""

    domain: Domain
    devices: tuple[str, ...]


MDEV: Table[Arrival] = Table(
    "migration-mdev",
    (
        Row("no vGPU", lambda arrival: arrival.domain.mdev_uuid is None, answering(lambda _: None)),
        Row(
            "rewritten to the pod's own",
            lambda _: True,
            answering(lambda arrival: arrival.devices[0] if arrival.devices else None),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class World:
    """What the engine needs of the rest of the lab."""

    load: Callable[[Domain], Load]  # how a guest writes its memory now
    mdevs: Callable[[str], tuple[str, ...]]  # mediated devices that a pod (by UID) holds
    link: float  # bytes per second between any two nodes


JobListener = Callable[[Job], None]


class Engine:
    """Jobs by VMI UID: the one under way, otherwise the last. Listeners hear of every change."""

    def __init__(self, api: Api, domains: Domains, world: World, faults: Faults) -> None:
        self.clock: Clock = api.clock
        self.domains = domains
        self.monitor = faults.ahead_of(MONITOR)
        self.aborts = faults.ahead_of(ABORTS)
        self.outcomes = faults.ahead_of(OUTCOMES)
        self._bandwidth = faults.ahead_of(BANDWIDTH)
        self._mdev = faults.ahead_of(MDEV)
        self._api = api
        self._world = world
        self._jobs: dict[str, Job] = {}
        self._by_target: dict[str, Job] = {}  # by UID of the target pod
        self._listeners: list[JobListener] = []
        domains.listen(self._follow)
        api.listen(POD, self._follow_pod)

    def job(self, vmi_uid: str) -> Job | None:
        """The job of a VMI."""
        return self._jobs.get(vmi_uid)

    def listen(self, listener: JobListener) -> None:
        """Follow all jobs."""
        self._listeners.append(listener)

    def start(self, domain: Domain, order: Order) -> Job:
        """Begin a migration; raises JobError for a UID that ran already."""
        before = self._jobs.get(domain.vmi_uid)
        if before is not None and before.order.uid == order.uid and before.ended_at is not None:
            raise JobError(
                f"migration job {order.uid} already executed, finished at {timestamp(before.ended_at)}, "
                f"failed: {str(before.failed).lower()}, abortStatus: {before.abort_status}"
            )
        if before is not None and before.active:
            raise JobError(f"migration job {before.order.uid} is still running")
        job = self._jobs[domain.vmi_uid] = self._by_target[order.target_pod_uid] = Job(self, domain, order)
        self.tell(job)
        job.begin()
        return job

    def load(self, domain: Domain) -> Load:
        """How the guest writes its memory now."""
        return self._world.load(domain)

    def bandwidth(self, job: Job) -> float:
        """Bytes per second that the job gets now."""
        line = Line(self._world.link, job.order.bandwidth_cap)
        return float(answer(self._bandwidth, line, line.rate))

    def mdev(self, job: Job) -> str | None:
        """The mediated device the guest has at the target."""
        found: str | None = answer(self._mdev, Arrival(job.domain, self._world.mdevs(job.order.target_pod_uid)))
        return found

    def perform(self, effects: Sequence[Effect]) -> None:
        """Carry effects out."""
        perform(effects, self._api, CALLER)

    def tell(self, job: Job) -> None:
        """Let everybody know that a job changed."""
        for listener in tuple(self._listeners):
            listener(job)

    def _follow_pod(self, change: Change) -> None:
        """A target pod that ends takes the connection with it."""
        pod: Json = change.new.obj
        job = self._by_target.get(uid(pod))
        if job is not None and (change.type == "DELETED" or phase(pod) in FINAL):
            del self._by_target[uid(pod)]
            job.fail(BROKEN)

    def _follow(self, domain: Domain) -> None:
        job = self._jobs.get(domain.vmi_uid)
        if job is None:
            return
        if self.domains.get(domain.vmi_uid) is None:
            job.fail("Domain not found")
            del self._jobs[domain.vmi_uid]
        elif domain.ended:
            job.fail("operation failed: domain is no longer running")
        else:
            job.touch()
