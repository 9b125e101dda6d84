"""Switching the vGPU migration gate: through HyperConverged's jsonpatch annotation, or in the KubeVirt object (§3)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from utilities.clients import KUBEVIRTS, hyperconvergeds
from utilities.errors import SiteError
from utilities.history import condition_of, dig
from utilities.kubevirt.actor import Actor
from utilities.reversible import patched
from utilities.site import HOOK_GATE
from utilities.watching import Watched
from utilities.watching.passing import let_pass

ANNOTATION = "kubevirt.kubevirt.io/jsonpatch"
_GATES = "/spec/configuration/developerConfiguration/featureGates"
_DISABLED = "/spec/configuration/developerConfiguration/disabledFeatureGates"


@dataclass(frozen=True, slots=True)
class GateLists:
    """The two lists of a KubeVirt object."""

    enabled: tuple[str, ...]
    disabled: tuple[str, ...]

    @classmethod
    def of(cls, kubevirt: Mapping[str, Any]) -> GateLists:
        """Read them."""
        developer = dig(kubevirt, "spec", "configuration", "developerConfiguration") or {}
        return cls(tuple(developer.get("featureGates") or ()), tuple(developer.get("disabledFeatureGates") or ()))

    def switched(self, on: Sequence[str], off: Sequence[str]) -> GateLists:
        """With these gates on and those off. A gate in both lists is refused by the product, so each is in one."""
        enabled = [gate for gate in self.enabled if gate not in off]
        enabled += [gate for gate in on if gate not in enabled]
        disabled = [gate for gate in self.disabled if gate not in on]
        return GateLists(tuple(enabled), tuple(disabled))


@dataclass(frozen=True, slots=True)
class Gates:
    """The gate of one cluster, switched as one user. Every change is undone when its context ends."""

    actor: Actor
    gate: str

    def configuration(self) -> GateLists:
        """What the KubeVirt object says now."""
        return GateLists.of(self._kubevirt())

    @contextmanager
    def enabled(self) -> Iterator[None]:
        """Both gates that a migration needs: the feature's and the hook server's."""
        present = self.configuration()
        hook = [HOOK_GATE] if HOOK_GATE in present.disabled else []
        with self._switched(present.switched([self.gate], []), present, hook_on=bool(hook)):
            yield

    @contextmanager
    def enabled_alone(self) -> Iterator[None]:
        """The feature's gate, with the hook server's disabled: the trap of the kubevirt sheet, §3.3."""
        present = self.configuration()
        wanted = present.switched([self.gate], [HOOK_GATE])
        disabled = (*(gate for gate in wanted.disabled if gate != HOOK_GATE), HOOK_GATE)
        with self._switched(GateLists(wanted.enabled, disabled), present, hook_on=False):
            yield

    @contextmanager
    def disabled(self) -> Iterator[None]:
        """The feature's gate off."""
        present = self.configuration()
        with self._switched(present.switched([], [self.gate]), present, hook_on=False):
            yield

    def disable_as(self, user: Actor) -> None:
        """Send the change that switches the gate off as another user; it is not undone, so expect a refusal."""
        present = self.configuration()
        resource, name, body = self._change(present.switched([], [self.gate]))
        user.rest.patch(resource, name, body, self.actor.site.product.namespace)

    def _kubevirt(self) -> dict[str, Any]:
        product = self.actor.site.product
        return self.actor.rest.get(KUBEVIRTS, product.kubevirt, product.namespace)

    @contextmanager
    def _switched(self, wanted: GateLists, present: GateLists, *, hook_on: bool) -> Iterator[None]:
        if hook_on:
            wanted = wanted.switched([HOOK_GATE] if HOOK_GATE in present.enabled else [], [])
            wanted = GateLists(wanted.enabled, tuple(gate for gate in wanted.disabled if gate != HOOK_GATE))
        if wanted == present:
            yield
            return
        resource, name, body = self._change(wanted)
        with patched(self.actor.rest, resource, name, body, namespace=self.actor.site.product.namespace):
            self._settle(wanted)
            yield
        self._settle(present)

    def _change(self, wanted: GateLists) -> tuple[Any, str, dict[str, Any]]:
        product = self.actor.site.product
        if product.hyperconverged is None:
            developer = {"featureGates": list(wanted.enabled), "disabledFeatureGates": list(wanted.disabled)}
            return KUBEVIRTS, product.kubevirt, {"spec": {"configuration": {"developerConfiguration": developer}}}
        resource = hyperconvergeds(product.hyperconverged_api)
        hyperconverged = self.actor.rest.get(resource, product.hyperconverged, product.namespace)
        kept = [
            operation
            for operation in _operations(hyperconverged)
            if not str(operation.get("path", "")).startswith((_GATES, _DISABLED))
        ]
        kept.append({"op": "add", "path": _GATES, "value": list(wanted.enabled)})
        kept.append({"op": "add", "path": _DISABLED, "value": list(wanted.disabled)})
        return resource, product.hyperconverged, {"metadata": {"annotations": {ANNOTATION: json.dumps(kept)}}}

    def _settle(self, wanted: GateLists) -> None:
        """Wait until the KubeVirt object says so, is rolled out, and every component has picked it up."""
        product, timeouts = self.actor.site.product, self.actor.site.timeouts
        self.actor.waits.wait_for(
            Watched(KUBEVIRTS, product.namespace, product.kubevirt),
            lambda kubevirt: kubevirt is not None and GateLists.of(kubevirt) == wanted and _rolled_out(kubevirt),
            expecting=f"rolled out with {wanted}",
            within=timeouts.product_ready,
        )
        scale = self.actor.site.time_scale
        let_pass(self.actor.rest, product.namespace, timeouts.config_pickup, time_scale=scale)


def _rolled_out(kubevirt: Mapping[str, Any]) -> bool:
    status = kubevirt.get("status") or {}
    observed = status.get("observedGeneration") == kubevirt["metadata"].get("generation")
    available = condition_of(kubevirt, "Available") or {}
    return bool(observed and status.get("phase") == "Deployed" and available.get("status") == "True")


def _operations(hyperconverged: Mapping[str, Any]) -> list[dict[str, Any]]:
    text = (hyperconverged["metadata"].get("annotations") or {}).get(ANNOTATION, "[]")
    try:
        return [dict(operation) for operation in json.loads(text)]
    except (ValueError, TypeError) as error:
        name = hyperconverged["metadata"]["name"]
        raise SiteError(
            f"annotation {ANNOTATION} of HyperConverged {name} is not a JSON patch: {error}",
            next_step="correct or remove the annotation; the suite adds its gates to what is there",
        ) from error
