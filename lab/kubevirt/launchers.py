"""virt-launcher: the program in a launcher pod, which ends when its guest has gone or left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.decisions import Faults, Row, Table, decide, hold
from lab.controllers.effects import Do, Effect, perform
from lab.controllers.runtime import Key, Mapper, same_object
from lab.kubevirt.callers import Callers
from lab.kubevirt.domains import Domain, Domains
from lab.scheduling.delays import Delays
from lab.scheduling.processes import Processes

Json = Mapping[str, Any]


def is_launcher(pod: Json) -> bool:
    """Whether a pod is a virt-launcher pod."""
    return (pod["metadata"].get("labels") or {}).get("kubevirt.io") == "virt-launcher"


@dataclass(frozen=True, slots=True)
class Launcher:
    """One launcher at work: its pod, and where the guest is."""

    pod: Json
    domains: Domains
    processes: Processes
    exit_delay: float
    now: float
    since: float  # product time at which the guest left, or the launcher was signalled
    running: bool
    signalled: bool
    guest: Domain | None  # the domain in this pod
    had_guest: bool

    def exit(self, code: int) -> Do:
        """End the program."""
        uid = self.pod["metadata"]["uid"]
        return Do("virt-launcher exits", lambda: self.processes.exit(uid, code))


def _ask(launcher: Launcher) -> Sequence[Effect]:
    guest = launcher.guest
    if guest is None:
        return ()
    return (Do("graceful shutdown", lambda: launcher.domains.ask_to_shut_down(guest, launcher.now)),)


LAUNCH: Table[Launcher] = Table(
    "virt-launcher",
    (
        Row("not at work", lambda launcher: not launcher.running, hold),
        Row("passes the signal on", lambda launcher: launcher.signalled and launcher.guest is not None, _ask),
        Row("guest is here", lambda launcher: launcher.guest is not None, hold),
        Row(
            "guest has gone",
            lambda launcher: launcher.had_guest,
            lambda launcher: (launcher.exit(0),),
            after=lambda launcher: launcher.exit_delay,
        ),
        Row(
            "ends without a guest",
            lambda launcher: launcher.signalled,
            lambda launcher: (launcher.exit(0),),
            after=lambda launcher: launcher.exit_delay,
        ),
        Row("waits for its guest", lambda _: True, hold),
    ),
    since=lambda launcher: launcher.since,
)


class Launchers:
    """All launchers; a domain whose pod vanishes dies with it."""

    name = "virt-launcher"

    def __init__(
        self, api: Api, domains: Domains, processes: Processes, delays: Delays, callers: Callers, faults: Faults
    ) -> None:
        self._api = api
        self._domains = domains
        self._processes = processes
        self._delays = delays
        self._caller = callers.handler
        self._table = faults.ahead_of(LAUNCH)
        self._guests: dict[str, Domain] = {}  # by pod UID: the domain that runs, or last ran, there
        self._visited: dict[str, dict[str, None]] = {}  # by VMI UID: UIDs of the pods in which it runs, or ran
        self._since: dict[str, float] = {}
        domains.listen(self._follow)
        api.listen(POD, self._follow_pod)

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Launcher pods."""
        return {POD: lambda change: same_object(change) if is_launcher(change.new.obj) else ()}

    def reconcile(self, key: Key) -> float | None:
        """Look at one launcher."""
        pod = self._api.find(POD, *key)
        if pod is None:
            return None
        decision = decide(self._table, self._look(pod), self._api.clock.now())
        perform(decision.effects, self._api, self._caller)
        return decision.wake_at

    def keys_of(self, domain: Domain) -> list[Key]:
        """The pods a change of this domain concerns: where it is, and where it was."""
        uids = [uid for uid in self._visited.get(domain.vmi_uid, ()) if self._guests[uid] is domain]
        return [process.key for uid in uids if (process := self._processes.get(uid)) is not None]

    def _look(self, pod: Json) -> Launcher:
        uid, now = pod["metadata"]["uid"], self._api.clock.now()
        process, last = self._processes.get(uid), self._guests.get(uid)
        here = last is not None and last.pod_uid == uid and self._domains.get(last.vmi_uid) is last
        signalled = process is not None and process.signalled
        if here or not (signalled or last is not None):
            self._since.pop(uid, None)
        return Launcher(
            pod=pod,
            domains=self._domains,
            processes=self._processes,
            exit_delay=self._delays.of("launcher-exit", uid),
            now=now,
            since=now if here else self._since.setdefault(uid, now),
            running=process is not None and process.exit_code is None,
            signalled=signalled,
            guest=last if here else None,
            had_guest=last is not None,
        )

    def _follow(self, domain: Domain) -> None:
        if self._domains.get(domain.vmi_uid) is domain:
            self._guests[domain.pod_uid] = domain
            self._visited.setdefault(domain.vmi_uid, {})[domain.pod_uid] = None

    def _follow_pod(self, change: Change) -> None:
        if change.type != "DELETED":
            return
        pod: Json = change.new.obj
        uid = pod["metadata"]["uid"]
        self._since.pop(uid, None)
        domain = self._guests.pop(uid, None)
        if domain is None:
            return
        visited = self._visited[domain.vmi_uid]
        del visited[uid]
        if not visited:
            del self._visited[domain.vmi_uid]
        if domain.pod_uid == uid:
            self._domains.end(domain, "crashed")
