"""The operator's pods: which there are, what they have written, and how one ended (operator sheet §4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from utilities.clients import PODS
from utilities.errors import ApiError, GoalLost
from utilities.history import Obj, condition_of, dig
from utilities.hypervisors.logs import Line, lines
from utilities.kubevirt.actor import Actor
from utilities.watching import Watched

CONTAINER = "manager"


@dataclass(frozen=True, slots=True)
class Crash:
    """How a process of the operator ended. log: its last lines."""

    pod: str
    exit_code: int
    log: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The log as one text."""
        return "\n".join(line.text for line in self.log)


@dataclass(frozen=True, slots=True)
class OperatorPods:
    """Pods of the operator's Deployment. labels: those that it selects them by."""

    actor: Actor
    namespace: str
    labels: Mapping[str, str]

    def all(self) -> list[dict[str, Any]]:
        """Those that nobody has deleted, oldest first."""
        found = self.actor.rest.list(PODS, self.namespace, labels=self._selector)["items"]
        alive = [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]
        return sorted(alive, key=lambda pod: (pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]))

    def uids(self) -> frozenset[str]:
        """Of these."""
        return frozenset(pod["metadata"]["uid"] for pod in self.all())

    def delete(self) -> None:
        """Delete all of them; does not wait."""
        for pod in self.all():
            name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
            self.actor.rest.delete(PODS, name, self.namespace, uid=uid)

    def log(self) -> tuple[Line, ...]:
        """What they have written, in order of time."""
        found = [line for pod in self.all() for line in self._log_of(pod["metadata"]["name"])]
        return tuple(sorted(found, key=lambda line: line.at))

    def wait_new(self, before: frozenset[str]) -> None:
        """Wait until one that is not among `before` (uids) is ready. Raises Ended when it ends instead."""
        ended: list[Obj] = []

        def new(pod: Obj | None) -> bool:
            return pod is not None and pod["metadata"]["uid"] not in before

        def lost(pod: Obj | None) -> str | None:
            if pod is None or not new(pod) or _ended(pod) is None:
                return None
            ended.append(pod)
            return f"it ended with status {_ended(pod)}"

        try:
            self.actor.waits.wait_for(
                Watched(PODS, self.namespace, labels=self._selector),
                lambda pod: new(pod) and (condition_of(pod or {}, "Ready") or {}).get("status") == "True",
                expecting="a new pod that is ready",
                within=self.actor.site.timeouts.operator_rollout,
                losing=lost,
                describe=_describe,
                next_step="read the log of the pod",
            )
        except GoalLost as error:
            raise Ended(error, self._crash(ended[-1])) from error

    def wait_crash(self) -> Crash:
        """Wait until a process of theirs ends by itself. Raises WaitTimeout."""
        pod = self.actor.waits.wait_for(
            Watched(PODS, self.namespace, labels=self._selector),
            lambda pod: pod is not None and _ended(pod) is not None,
            expecting="ended by itself",
            within=self.actor.site.timeouts.operator_rollout,
            describe=_describe,
        )
        return self._crash(pod or {})

    @property
    def _selector(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.labels.items())

    def _crash(self, pod: Obj) -> Crash:
        name = str(dig(pod, "metadata", "name"))
        return Crash(name, _ended(pod) or 0, self._log_of(name))

    def _log_of(self, pod: str) -> tuple[Line, ...]:
        path = PODS.path(self.namespace, pod, "log")
        try:
            return lines(self.actor.rest.text(path, query={"container": CONTAINER, "timestamps": True}))
        except ApiError as error:
            if error.code == 400:  # it has not started yet
                return ()
            raise


class Ended(GoalLost):
    """A new pod ended instead of getting ready; `crash` says how."""

    def __init__(self, lost: GoalLost, crash: Crash) -> None:
        super().__init__(
            f"{lost.what}: {crash.text.strip() or 'it has written nothing'}",
            next_step=lost.next_step,
            last_seen=lost.last_seen,
            history=lost.history,
        )
        self.crash = crash


def _ended(pod: Obj) -> int | None:
    """Exit status of the last process of the container that ended by itself, None if none did."""
    for container in dig(pod, "status", "containerStatuses") or ():
        for state in ("state", "lastState"):
            code = dig(container, state, "terminated", "exitCode")
            if container["name"] == CONTAINER and code:
                return int(code)
    return None


def _describe(pod: Obj) -> str:
    code, ready = _ended(pod), (condition_of(pod, "Ready") or {}).get("status")
    phase = dig(pod, "status", "phase")
    return f"{phase}, ended with status {code}" if code is not None else f"{phase}, ready {ready or 'unknown'}"
