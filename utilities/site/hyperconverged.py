"""Where things live in a HyperConverged object of each API version (kubevirt sheet §1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

HyperConvergedApi = Literal["v1beta1", "v1"]


@dataclass(frozen=True, slots=True)
class HyperConvergedShape:
    """Paths are key sequences from the object's root, for reading and for merge patches."""

    version: HyperConvergedApi
    gates_are_a_map: bool
    live_migration: tuple[str, ...]
    permitted_devices: tuple[str, ...]
    mediated_devices: tuple[str, ...]
    eviction_strategy: tuple[str, ...]

    def gates(self, hyperconverged: Mapping[str, Any]) -> dict[str, bool]:
        """HCO's own gates that the object states, by name."""
        stated = hyperconverged.get("spec", {}).get("featureGates") or ({} if self.gates_are_a_map else [])
        if self.gates_are_a_map:
            return dict(stated)
        return {gate["name"]: gate.get("state", "Enabled") == "Enabled" for gate in stated}

    def gates_patch(self, hyperconverged: Mapping[str, Any], name: str, *, enabled: bool) -> dict[str, Any]:
        """Merge patch that states one gate and keeps the others; a list is replaced whole, as merge patches do."""
        if self.gates_are_a_map:
            return {"spec": {"featureGates": {name: enabled}}}
        stated = self.gates(hyperconverged) | {name: enabled}
        listed = [{"name": gate, "state": "Enabled" if on else "Disabled"} for gate, on in stated.items()]
        return {"spec": {"featureGates": listed}}

    @staticmethod
    def patch(path: tuple[str, ...], value: object) -> dict[str, Any]:
        """Merge patch that sets `value` at one of the paths above."""
        nested: Any = value
        for key in reversed(path):
            nested = {key: nested}
        return dict(nested)


SHAPES: Mapping[HyperConvergedApi, HyperConvergedShape] = {
    "v1beta1": HyperConvergedShape(
        version="v1beta1",
        gates_are_a_map=True,
        live_migration=("spec", "liveMigrationConfig"),
        permitted_devices=("spec", "permittedHostDevices"),
        mediated_devices=("spec", "mediatedDevicesConfiguration"),
        eviction_strategy=("spec", "evictionStrategy"),
    ),
    "v1": HyperConvergedShape(
        version="v1",
        gates_are_a_map=False,
        live_migration=("spec", "virtualization", "liveMigrationConfig"),
        permitted_devices=("spec", "virtualization", "permittedHostDevices"),
        mediated_devices=("spec", "virtualization", "mediatedDevicesConfiguration"),
        eviction_strategy=("spec", "virtualization", "evictionStrategy"),
    ),
}
