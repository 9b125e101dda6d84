"""Pipelines: those of the installation as they are, and some of our own for as long as a test needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from utilities.cortex.kinds import ALL_INDEXED, ALL_READY, DEFAULT_WEIGHT, DOMAIN, READY, SLOT_WEIGHT, STEERING
from utilities.history import Obj, condition_of, dig


@dataclass(frozen=True, slots=True)
class Weigher:
    """One step. params: numbers, or numbers by name."""

    name: str
    params: Mapping[str, float | Mapping[str, float]] = field(default_factory=dict)
    multiplier: float | None = None

    def body(self) -> dict[str, Any]:
        """As the spec of a Pipeline has it."""
        params = [_param(key, value) for key, value in self.params.items()]
        factor = {} if self.multiplier is None else {"multiplier": self.multiplier}
        return {"name": self.name, **({"params": params} if params else {}), **factor}


def steering(slot: float, default: float) -> Weigher:
    """The steering weigher with both weights told."""
    return Weigher(STEERING, {SLOT_WEIGHT: slot, DEFAULT_WEIGHT: default})


def pipeline(name: str, *weighers: Weigher) -> dict[str, Any]:
    """A Pipeline without filters, which keeps to the hosts and weights of a request."""
    return {
        "metadata": {"name": name},
        "spec": {
            "schedulingDomain": DOMAIN,
            "type": "filter-weigher",
            "description": "Of migration test plans; nothing else uses it.",
            "ignorePreselection": False,
            "filters": [],
            "weighers": [weigher.body() for weigher in weighers],
        },
    }


def multipliers(pipeline: Obj) -> dict[str, float]:
    """Of the weighers of a Pipeline by name."""
    return {step["name"]: float(step.get("multiplier", 1.0)) for step in dig(pipeline, "spec", "weighers") or ()}


def ready(pipeline: Obj) -> bool:
    """Whether it can be run."""
    return bool(dig(condition_of(pipeline, READY), "status") == "True")


def lost(pipeline: Obj | None) -> str | None:
    """Why it will not become so."""
    told = condition_of(pipeline, READY) if pipeline is not None else None
    return f"{dig(told, 'reason')}: {dig(told, 'message')}" if dig(told, "status") == "False" else None


def left_out(pipeline: Obj) -> str:
    """What Cortex says of steps that it does not know or cannot use, and runs the pipeline without; "" for none."""
    told = (condition_of(pipeline, kind) for kind in (ALL_READY, ALL_INDEXED))
    return "; ".join(str(dig(one, "message")).strip() for one in told if dig(one, "status") == "False")


def unsteered(pipeline: Obj) -> str:
    """Why the steering weigher is no part of it, or may not be; "" if it is."""
    if STEERING not in multipliers(pipeline):
        return f"it does not name the step {STEERING}"
    if condition_of(pipeline, ALL_INDEXED) is None:
        return "Cortex has not said whether it knows all steps"
    return left_out(pipeline)


def _param(key: str, value: float | Mapping[str, float]) -> dict[str, Any]:
    return {"key": key, **({"floatMapValue": dict(value)} if isinstance(value, Mapping) else {"floatValue": value})}
