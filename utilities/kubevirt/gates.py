"""Switching the vGPU migration gate: through HyperConverged's jsonpatch annotation, or in the KubeVirt object (§3)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from utilities.clients import KUBEVIRTS, hyperconvergeds
from utilities.errors import SiteError
from utilities.evidence.steps import step
from utilities.history import Obj, dig
from utilities.kubevirt.actor import Actor
from utilities.kubevirt.configuration import wait_rolled_out
from utilities.reversible import Entry, Patch, Target
from utilities.sharing.standing import Planned, Standing
from utilities.site import HOOK_GATE

STANDING = "vgpu-gate"
"""Name of the gates' change that several rely on."""
SWITCHED = "kubevirt-gates"
"""Kind of an entry in a journal: what has to come of taking a change of the gates back."""
ANNOTATION = "kubevirt.kubevirt.io/jsonpatch"
_PARENT = "/spec/configuration/developerConfiguration/"
_GATES = "featureGates"
_DISABLED = "disabledFeatureGates"


@dataclass(frozen=True, slots=True)
class GateLists:
    """The two lists of a KubeVirt object. A gate in both is refused by the product."""

    enabled: frozenset[str]
    disabled: frozenset[str]

    @classmethod
    def of(cls, kubevirt: Obj) -> GateLists:
        """Read them."""
        developer = dig(kubevirt, "spec", "configuration", "developerConfiguration") or {}
        return cls(
            frozenset(developer.get("featureGates") or ()), frozenset(developer.get("disabledFeatureGates") or ())
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GateLists:
        """The inverse of `to_json`."""
        return cls(frozenset(data["enabled"]), frozenset(data["disabled"]))

    def to_json(self) -> dict[str, Any]:
        """Plain lists, sorted."""
        return {"enabled": sorted(self.enabled), "disabled": sorted(self.disabled)}

    def leading_to(self, wanted: GateLists) -> dict[str, frozenset[str]]:
        """What enters and leaves the lists on the way to others, in words; for reports."""
        moves = {
            f"into {_GATES}": wanted.enabled - self.enabled,
            f"out of {_GATES}": self.enabled - wanted.enabled,
            f"into {_DISABLED}": wanted.disabled - self.disabled,
            f"out of {_DISABLED}": self.disabled - wanted.disabled,
        }
        return {words: gates for words, gates in moves.items() if gates}

    def enabling(self, gate: str) -> GateLists:
        """With an Alpha gate on, and the hook server's at its default, which is on."""
        return GateLists(self.enabled | {gate}, self.disabled - {gate, HOOK_GATE})

    def enabling_alone(self, gate: str) -> GateLists:
        """With an Alpha gate on, and the hook server's off."""
        return GateLists((self.enabled | {gate}) - {HOOK_GATE}, (self.disabled - {gate}) | {HOOK_GATE})

    def without(self, gate: str) -> GateLists:
        """With an Alpha gate off."""
        return GateLists(self.enabled - {gate}, self.disabled)


@dataclass(frozen=True, slots=True)
class Gates:
    """The gate of one cluster, switched by its administrator. Every change is undone when its context ends."""

    actor: Actor
    gate: str

    def configuration(self) -> GateLists:
        """What the KubeVirt object says now."""
        product = self.actor.site.product
        return GateLists.of(self.actor.rest.get(KUBEVIRTS, product.kubevirt, product.namespace))

    @contextmanager
    def enabled(self) -> Iterator[None]:
        """Both gates that a migration needs: the feature's and the hook server's."""
        with self._switched(self.configuration().enabling(self.gate)):
            yield

    @contextmanager
    def relied_on(self, standing: Standing) -> Iterator[None]:
        """Both gates enabled as long as anybody relies on them: others on this cluster do too."""

        def plan() -> Planned | None:
            present = self.configuration()
            wanted = present.enabling(self.gate)
            return None if wanted == present else Planned(self._change(wanted), present.to_json())

        def settle(made: Obj | None) -> None:
            settled(self.actor, self.configuration().enabling(self.gate), since=made)

        with standing.relied_on(plan, settle, lambda memo: settled(self.actor, GateLists.from_json(memo))):
            yield

    @contextmanager
    def enabled_alone(self) -> Iterator[None]:
        """The feature's gate, with the hook server's disabled: the trap of the kubevirt sheet, §3.3."""
        with self._switched(self.configuration().enabling_alone(self.gate)):
            yield

    @contextmanager
    def disabled(self) -> Iterator[None]:
        """The feature's gate off."""
        with self._switched(self.configuration().without(self.gate)):
            yield

    def disable_as(self, user: Actor) -> None:
        """Send the change that switches the gate off as another user. Should it be let through, it is put back."""
        present = self.configuration()
        unwanted = self._change(present.without(self.gate))
        target = unwanted.target
        with self.actor.applied(self._change(present)):
            user.rest.patch(target.resource, target.name, unwanted.body, target.namespace)

    @contextmanager
    def _switched(self, wanted: GateLists) -> Iterator[None]:
        present = self.configuration()
        if wanted == present:
            yield
            return
        entry = Entry(SWITCHED, present.to_json(), f"KubeVirt: gates {present.to_json()}")
        with self.actor.awaited(entry), ExitStack() as undo:
            with step("switch feature gates", lists=present.leading_to(wanted)):
                settled(self.actor, wanted, since=undo.enter_context(self.actor.applied(self._change(wanted))))
            yield
            with step("switch feature gates back", lists=wanted.leading_to(present)):
                undo.close()
                settled(self.actor, present)

    def _change(self, wanted: GateLists) -> Patch:
        product = self.actor.site.product
        lists = {_GATES: sorted(wanted.enabled), _DISABLED: sorted(wanted.disabled)}
        if product.hyperconverged is None:
            body: dict[str, Any] = {"spec": {"configuration": {"developerConfiguration": lists}}}
            return Patch(Target(KUBEVIRTS, product.kubevirt, product.namespace), body, "switch feature gates")
        resource = hyperconvergeds(product.hyperconverged_api)
        hyperconverged = self.actor.rest.get(resource, product.hyperconverged, product.namespace)
        kept = [
            operation
            for operation in _operations(hyperconverged)
            if not str(operation.get("path", "")).startswith(tuple(_PARENT + name for name in lists))
        ]
        added = [{"op": "add", "path": _PARENT + name, "value": value} for name, value in lists.items()]
        body = {"metadata": {"annotations": {ANNOTATION: json.dumps([*kept, *added])}}}
        return Patch(Target(resource, product.hyperconverged, product.namespace), body, "switch feature gates")


def settled(actor: Actor, wanted: GateLists, since: Obj | None = None) -> None:
    """Wait until the product has these gates. since: as for `wait_rolled_out`."""
    wait_rolled_out(
        actor,
        lambda kubevirt: GateLists.of(kubevirt) == wanted,
        expecting=f"gates {sorted(wanted.enabled)}",
        since=since,
    )


def _operations(hyperconverged: Obj) -> list[dict[str, Any]]:
    text = (hyperconverged["metadata"].get("annotations") or {}).get(ANNOTATION, "[]")
    try:
        return [dict(operation) for operation in json.loads(text)]
    except (ValueError, TypeError) as error:
        name = hyperconverged["metadata"]["name"]
        raise SiteError(
            f"annotation {ANNOTATION} of HyperConverged {name} is not a JSON patch: {error}",
            next_step="correct or remove the annotation; the suite adds its gates to what is there",
        ) from error
