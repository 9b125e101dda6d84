"""Letting time pass on the cluster's own clock, for what shows no other sign (a configuration that is picked up)."""

from __future__ import annotations

from threading import Event

from utilities.clients import Resource, Rest
from utilities.evidence.steps import step
from utilities.history import seconds as parsed

_PROBE = Resource("", "v1", "configmaps", "ConfigMap")
_LOOK = 0.05  # wall seconds at least between two looks at the clock


def let_pass(rest: Rest, namespace: str, seconds: float, *, time_scale: float = 1.0) -> None:
    """Return when at least `seconds` product seconds have passed.

    The clock is read from the creation time that the server gives an object in a dry run: a fast lab slows down when
    its machine is busy, and then so does this. Nothing is created.
    """
    wait = Event().wait
    with step("let product time pass") as passing:
        begin = now = _now(rest, namespace)
        while (left := seconds + 1 - (now - begin)) > 0:  # the stamp has whole seconds
            wait(max(_LOOK, left / time_scale))
            now = _now(rest, namespace)
        passing.took(now - begin)


def _now(rest: Rest, namespace: str) -> float:
    probe = rest.create(_PROBE, {"metadata": {"name": "clock-probe"}}, namespace, dry_run=True)
    return parsed(probe["metadata"]["creationTimestamp"])
