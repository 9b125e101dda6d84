"""The operator itself: its flags, its Deployment, and what comes of changing them (operator sheet §2.6, §4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from utilities.errors import Blocked
from utilities.evidence.steps import step
from utilities.history import Obj, dig
from utilities.hypervisors.flags import BY_TRAIT, CONCURRENCY, Flags, replaced
from utilities.hypervisors.kinds import DEPLOYMENTS
from utilities.hypervisors.logs import Line, Pass, passes
from utilities.hypervisors.pods import CONTAINER, Crash, Ended, OperatorPods
from utilities.kubevirt.actor import Actor
from utilities.reversible import Entry, Patch, Target
from utilities.site import HypervisorOperator
from utilities.watching import Watched

ROLLED_OUT = "operator-rolled-out"
"""Kind of an entry in a journal: what has to come of taking a change of its Deployment back."""
_UNKNOWN_FLAG = "flag provided but not defined"


@dataclass(frozen=True, slots=True)
class Operator:
    """The hypervisor operator of a site. Raises Blocked when the site has none, or does not let it be changed."""

    actor: Actor

    @property
    def section(self) -> HypervisorOperator:
        """What the site file says of it."""
        return self.actor.site.hypervisor_operator

    def flags(self) -> Flags:
        """The flags it runs with: those of its Deployment, or those the site file states. Raises Blocked: unknown."""
        section = self.section
        stated = section.eviction_concurrency
        if stated is not None and not section.flags_changeable:
            return Flags(stated, section.trait_concurrency)
        if section.deployment is None:
            raise Blocked(
                f"site {self.actor.site.name} does not say with which flags the hypervisor operator runs",
                next_step="state them in the site file: hypervisor_operator.eviction_concurrency, .trait_concurrency",
            )
        return Flags.of(self._container(self._deployment(), "flags").get("args") or ())

    def describe(self) -> str:
        """Its image, for reports; its flags are the tests' to change. Raises Blocked: the site has none."""
        if self.section.deployment is None:
            return "not deployed in the cluster"
        return str(self._container(self._deployment(), "image").get("image"))

    @contextmanager
    def with_flags(self, *, concurrency: int = 1, by_trait: Mapping[str, int] | None = None) -> Iterator[Flags]:
        """Running with these flags for the length of the block, and no other concurrency flags; as before afterwards.

        Returns once the new pod is ready and the old one gone; a new leader begins to work up to 17 s later. Raises
        Blocked when the site's operator runs with others that are not ours to change, or does not know the flags.
        """
        wanted = Flags(concurrency, dict(by_trait or {}))
        if not self.section.flags_changeable:
            self._demand(wanted)
            yield wanted
            return
        try:
            with self.with_arguments(*wanted.arguments):
                yield wanted
        except Ended as error:
            if _UNKNOWN_FLAG not in error.crash.text:
                raise
            raise Blocked(
                f"the hypervisor operator of site {self.actor.site.name} does not know {wanted}: {error.what}",
                next_step="run on a site whose operator has parallel eviction",
            ) from error

    @contextmanager
    def with_arguments(self, *arguments: str, starts: bool = True) -> Iterator[None]:
        """The same with arguments as they are given. starts: wait for its new pod to be ready; else only change them.

        Raises Ended, a GoalLost, when the new pod ends instead.
        """
        self._demand_changeable(f"started with {' '.join(arguments) or 'no concurrency flags'}")
        present = list(self._container(self._deployment(), "flags").get("args") or ())
        changed = replaced(present, arguments)
        if changed == present:
            yield
            return

        def body(deployment: Obj) -> Mapping[str, Any]:
            new = [
                {**container, "args": changed} if container["name"] == CONTAINER else container
                for container in dig(deployment, "spec", "template", "spec", "containers")
            ]
            return {"spec": {"template": {"spec": {"containers": new}}}}

        why = f"concurrency flags {' '.join(arguments) or 'removed'}"
        change = Patch(self._target, body, why)
        with self._settled_at_the_end():
            before = self._pods().uids()
            with self.actor.applied(change):
                if starts:
                    with step("start the operator with other flags", flags=arguments or "none"):
                        self._pods().wait_new(before)
                        self.wait_rolled_out()
                yield

    def restart(self) -> None:
        """Delete its pod and wait for the next one to be ready: a new process, and a new leader."""
        self._demand_changeable("restarted")
        with step("restart the operator"):
            pods = self._pods()
            before = pods.uids()
            pods.delete()
            pods.wait_new(before)
            self.wait_rolled_out()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Without any pod for the length of the block."""
        self._demand_changeable("stopped for a while")
        with self._settled_at_the_end(), self.actor.applied(Patch(self._target, {"spec": {"replicas": 0}}, "stop it")):
            with step("stop the operator"):
                self.wait_rolled_out()
            yield

    def wait_crash(self) -> Crash:
        """Wait until a process of it ends by itself, as with flags that it refuses. Raises WaitTimeout."""
        with step("wait until the operator ends") as waiting:
            crash = self._pods().wait_crash()
            waiting.note("exit status", crash.exit_code)
        return crash

    def pods(self) -> list[dict[str, Any]]:
        """Its pods that nobody has deleted, oldest first."""
        return self._pods().all()

    def log(self) -> tuple[Line, ...]:
        """What its present pods have written, in order of time. Lines of a pod that is gone are gone with it."""
        return self._pods().log()

    def passes(self, hypervisor: str | None = None) -> tuple[Pass, ...]:
        """Its own account of its passes, by that log."""
        return passes(self.log(), hypervisor)

    @property
    def _target(self) -> Target:
        return Target(DEPLOYMENTS, str(self.section.deployment), self.section.namespace)

    def _deployment(self) -> dict[str, Any]:
        return self.actor.rest.get(DEPLOYMENTS, str(self.section.deployment), self.section.namespace)

    def _pods(self) -> OperatorPods:
        if self.section.deployment is None:
            raise Blocked(
                f"the hypervisor operator of site {self.actor.site.name} has no Deployment, so no pods and no log",
                next_step="name it in the site file (hypervisor_operator.deployment), or run on another site",
            )
        labels = dig(self._deployment(), "spec", "selector", "matchLabels") or {}
        return OperatorPods(self.actor, self.section.namespace, labels)

    def _container(self, deployment: Obj, what: str) -> Mapping[str, Any]:
        containers: Sequence[Mapping[str, Any]] = dig(deployment, "spec", "template", "spec", "containers") or ()
        for container in containers:
            if container["name"] == CONTAINER:
                return container
        raise Blocked(
            f"{self._target} has no container {CONTAINER}, so its {what} cannot be told",
            next_step="name the Deployment of the hypervisor operator in the site file",
        )

    def _demand(self, wanted: Flags) -> None:
        present = self.flags()
        if present != wanted:
            raise Blocked(
                f"the test needs the hypervisor operator with {wanted}; on site {self.actor.site.name} it runs with "
                f"{present}, which is not ours to change",
                next_step=f"start it with --{CONCURRENCY}={wanted.concurrency}"
                f"{f' --{BY_TRAIT}=…' if wanted.by_trait else ''}, say so in the site file, and run again",
            )

    def _demand_changeable(self, what: str) -> None:
        if not self.section.flags_changeable:
            raise Blocked(
                f"the test needs the hypervisor operator {what}, which is not ours to do on {self.actor.site.name}",
                next_step="run on a site whose hypervisor_operator has a deployment and is not external",
            )

    @contextmanager
    def _settled_at_the_end(self) -> Iterator[None]:
        """Around a change: once it is taken back, wait until the Deployment is as it was."""
        with self.actor.awaited(Entry(ROLLED_OUT, {}, f"{self._target}: rolled out")):
            try:
                yield
            finally:
                with step("wait until the operator is as before"):
                    self.wait_rolled_out()

    def wait_rolled_out(self) -> None:
        """Wait until all its pods are of its present template, and ready."""
        self.actor.waits.wait_for(
            Watched(DEPLOYMENTS, self.section.namespace, self.section.deployment),
            lambda deployment: deployment is not None and rolled_out(deployment),
            expecting="rolled out",
            within=self.actor.site.timeouts.operator_rollout,
            next_step="look at the Deployment's conditions and at the pods",
        )


def rolled_out(deployment: Obj) -> bool:
    """Whether all pods of a Deployment are of its present template, ready, and without others beside them."""
    status, replicas = deployment.get("status") or {}, dig(deployment, "spec", "replicas")
    counts = {status.get(name, 0) for name in ("replicas", "updatedReplicas", "availableReplicas")}
    return status.get("observedGeneration") == deployment["metadata"].get("generation") and counts == {replicas}
