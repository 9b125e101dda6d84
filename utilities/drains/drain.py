"""One node being emptied as kubectl drain does it (kubevirt sheet §7.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from utilities.clients import PODS
from utilities.drains.cordons import cordoned
from utilities.drains.evacuations import cancel, marked_node
from utilities.drains.evictions import Answer, Evictee, evict, is_there
from utilities.errors import WaitTimeout
from utilities.evidence.steps import step
from utilities.history import Obj, dig
from utilities.kubevirt.actor import Actor
from utilities.watching.passing import let_pass

RETRY = 5.0
"""Product seconds after which kubectl asks again."""
LAUNCHERS = "kubevirt.io=virt-launcher"


@dataclass(slots=True)
class Drain:
    """A drain that has begun: it asks when told to, and keeps what was answered.

    left: pods that have to go and have not gone, of those that were there when the node was cordoned.
    """

    actor: Actor
    node: str
    left: tuple[Evictee, ...]
    answers: list[Answer] = field(default_factory=list)
    _granted: set[str] = field(default_factory=set)

    def ask(self, *, first: int | None = None) -> None:
        """Ask every pod that is left, or the first so many, once; those that were granted it are looked for."""
        count = len(self.left) if first is None else first
        asked, later = self.left[:count], self.left[count:]
        with step("ask pods to go", node=self.node, pods=len(asked)) as asking:
            before = len(self.answers)
            self.left = (*(pod for pod in asked if self._stays(pod)), *later)
            refused = [answer.refusal for answer in self.answers[before:] if not answer.granted]
            asking.note("refusals", list(dict.fromkeys(refused)) or None)
            asking.note("left", len(self.left))

    def finish(self, *, within: float | None = None) -> None:
        """Ask again and again until no pod is left. Raises WaitTimeout after so many product seconds."""
        patience = self.actor.site.timeouts.node_drain if within is None else within
        with step("drain until the node is empty", node=self.node, answers=(WaitTimeout,)):
            for _ in range(max(1, round(patience / RETRY))):
                self.ask()
                if not self.left:
                    return
                self._pause()
            raise WaitTimeout(
                f"node {self.node} is not empty after {patience:g} s of asking; left: {self._reasons()}",
                next_step="read what was answered, and the VMIs' events",
            )

    def refusals(self, vmi: str) -> tuple[str, ...]:
        """What the launcher pod of a VMI (`namespace/name`) was refused with, in order, without repetitions."""
        said = [answer.refusal for answer in self.answers if answer.evictee.vmi == vmi and not answer.granted]
        return tuple(dict.fromkeys(said))

    def granted(self, vmi: str) -> bool:
        """Whether the launcher pod of a VMI was allowed to go."""
        return any(answer.granted for answer in self.answers if answer.evictee.vmi == vmi)

    def call_off(self) -> None:
        """Take every VMI of a pod that is left out of evacuation."""
        for pod in self.left:
            namespace, _, name = pod.vmi.partition("/")
            if name and marked_node(self.actor, namespace, name) == self.node:
                cancel(self.actor, namespace, name, self.node)

    def _stays(self, pod: Evictee) -> bool:
        if pod.uid in self._granted:
            return is_there(self.actor, pod)
        answer = evict(self.actor, pod)
        if answer is None:
            return False
        self.answers.append(answer)
        if answer.granted:
            self._granted.add(pod.uid)
        return True

    def _pause(self) -> None:
        namespace = self.left[0].namespace
        let_pass(self.actor.rest, namespace, RETRY, time_scale=self.actor.site.time_scale)

    def _reasons(self) -> str:
        last = {answer.evictee: answer.refusal or "granted, and still there" for answer in self.answers}
        return "; ".join(f"{pod.namespace}/{pod.name}: {last.get(pod, 'never asked')}" for pod in self.left)


@contextmanager
def drained(
    actor: Actor, *nodes: str, namespace: str | None = None, pods: str = LAUNCHERS
) -> Iterator[tuple[Drain, ...]]:
    """Nodes that are cordoned, and a drain of each that has not asked yet. All is taken back when the block ends.

    namespace: of the pods that have to go (None: all), so that a test leaves other people's VMs alone. pods: their
    label selector. DaemonSets keep theirs.
    """
    with cordoned(actor, *nodes):
        begun = tuple(Drain(actor, node, _evictees(actor, node, namespace, pods)) for node in nodes)
        try:
            yield begun
        finally:
            for drain in begun:
                drain.call_off()


def finish_all(drains: Sequence[Drain], *, within: float | None = None) -> None:
    """Several drains in turns until every node is empty. Raises WaitTimeout."""
    for drain in drains:
        drain.ask()
    for drain in drains:
        drain.finish(within=within)


def _evictees(actor: Actor, node: str, namespace: str | None, pods: str) -> tuple[Evictee, ...]:
    found = actor.rest.list(PODS, namespace, labels=pods, fields=f"spec.nodeName={node}")["items"]
    return tuple(Evictee.of(pod) for pod in found if not _of_daemon_set(pod))


def _of_daemon_set(pod: Obj) -> bool:
    return any(owner["kind"] == "DaemonSet" for owner in dig(pod, "metadata", "ownerReferences") or ())
