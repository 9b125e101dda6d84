"""The product's cluster-wide settings, for a while: in HyperConverged, or in the KubeVirt object (sheet §1.4, §3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from utilities.clients import KUBEVIRTS, hyperconvergeds
from utilities.evidence.steps import step
from utilities.history import Obj, condition_of, dig
from utilities.kubevirt.actor import Actor
from utilities.reversible import Entry, Patch, Target
from utilities.watching import Watched
from utilities.watching.passing import let_pass

SETTINGS = "kubevirt-settings"
"""Kind of an entry in a journal: what has to come of taking a change of settings back."""
_MIGRATIONS = "migrations"
_EVICTION_STRATEGY = "evictionStrategy"


@dataclass(frozen=True, slots=True)
class Configuration:
    """Settings that HyperConverged has fields for, under the names they have in KubeVirt's `spec.configuration`."""

    actor: Actor

    def now(self) -> dict[str, Any]:
        """`spec.configuration` of the KubeVirt object."""
        product = self.actor.site.product
        kubevirt = self.actor.rest.get(KUBEVIRTS, product.kubevirt, product.namespace)
        return dict(dig(kubevirt, "spec", "configuration") or {})

    @contextmanager
    def migrations(self, **settings: Any) -> Iterator[None]:
        """Settings of live migration, such as parallelMigrationsPerCluster."""
        with self._changed({_MIGRATIONS: settings}):
            yield

    @contextmanager
    def eviction_strategy(self, strategy: str) -> Iterator[None]:
        """What VMs without a strategy of their own get when they start."""
        with self._changed({_EVICTION_STRATEGY: strategy}):
            yield

    @contextmanager
    def _changed(self, wanted: Mapping[str, Any]) -> Iterator[None]:
        present = _part(self.now(), wanted)
        if present == wanted:
            yield
            return
        with ExitStack() as undo:
            undo.enter_context(self.actor.awaited(Entry(SETTINGS, {"wanted": present}, f"KubeVirt: {present}")))
            changed = undo.enter_context(ExitStack())
            with step("change settings of the product", wanted=wanted):
                changed.enter_context(self.actor.applied(self._change(wanted)))
                self.settle(wanted)
            yield
            with step("change settings of the product back", wanted=present):
                changed.close()
                self.settle(present)

    def _change(self, wanted: Mapping[str, Any]) -> Patch:
        product, why = self.actor.site.product, "change settings"
        if product.hyperconverged is None:
            body = {"spec": {"configuration": dict(wanted)}}
            return Patch(Target(KUBEVIRTS, product.kubevirt, product.namespace), body, why)
        ((name, value),) = wanted.items()
        shape = product.shape
        path = {_MIGRATIONS: shape.live_migration, _EVICTION_STRATEGY: shape.eviction_strategy}[name]
        resource = hyperconvergeds(product.hyperconverged_api)
        return Patch(Target(resource, product.hyperconverged, product.namespace), shape.patch(path, value), why)

    def settle(self, wanted: Mapping[str, Any]) -> None:
        """Wait until the KubeVirt object says so (None: does not state it), and it is rolled out."""
        wait_rolled_out(
            self.actor,
            lambda kubevirt: _part(dig(kubevirt, "spec", "configuration") or {}, wanted) == wanted,
            expecting=f"{dict(wanted)}",
        )


def wait_rolled_out(actor: Actor, goal: Callable[[Obj], bool], *, expecting: str, since: Obj | None = None) -> None:
    """Wait until the KubeVirt object meets the goal and is rolled out, and every component has picked it up.

    since: the object that was changed, as it was then; tells how long the product took.
    """
    product, timeouts = actor.site.product, actor.site.timeouts
    with step("wait until the product has rolled it out") as waiting:
        found = actor.waits.wait_for(
            Watched(KUBEVIRTS, product.namespace, product.kubevirt),
            lambda kubevirt: kubevirt is not None and goal(kubevirt) and _rolled_out(kubevirt),
            expecting=f"rolled out with {expecting}",
            within=timeouts.product_ready,
        )
        if since is not None:
            waiting.took_between(since, found)
    let_pass(actor.rest, product.namespace, timeouts.config_pickup, time_scale=actor.site.time_scale)


def _rolled_out(kubevirt: Obj) -> bool:
    status = kubevirt.get("status") or {}
    observed = status.get("observedGeneration") == kubevirt["metadata"].get("generation")
    available = condition_of(kubevirt, "Available") or {}
    return bool(observed and status.get("phase") == "Deployed" and available.get("status") == "True")


def _part(configuration: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What the configuration says of the settings that `wanted` names; None for what it does not state."""
    return {
        name: _part(configuration.get(name) or {}, value) if isinstance(value, Mapping) else configuration.get(name)
        for name, value in wanted.items()
    }
