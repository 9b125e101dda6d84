"""The text a History tells about a run (Cortex sheet §1.5)."""

from __future__ import annotations

from collections.abc import Iterable

from lab.cortex.scheduling.runs import Run
from lab.cortex.scheduling.weighing import explain_weighing

_SHOWN = 10


def explain(run: Run) -> str:
    """What each step took away, what is left, the host selected, and why it is first."""
    selected = "" if run.target is None else f"Selected host: {run.target}."
    if not run.steps or not run.raw_in_weights:
        return selected
    left = set(run.raw_in_weights)
    text = f"Started with {len(left)} host(s).\n\n"
    for step in run.steps:
        removed = left - set(step.activations)
        if removed:
            left -= removed
            text += f"{step.name} filtered out {_names(removed)}\n"
    text += f"\n{len(left)} hosts remaining ({_names(left)})\n"
    weighing = explain_weighing(run)
    text += (f"\n{selected}" if selected else "") + (f"\n\n{weighing}" if weighing else "")
    return text.strip()


def explain_failure(text: str) -> str:
    """What it tells of a run without result."""
    return f"Pipeline run failed: {text}."


def _names(hosts: Iterable[str]) -> str:
    ordered = sorted(hosts)
    more = f" (and {len(ordered) - _SHOWN} more)" if len(ordered) > _SHOWN else ""
    return ", ".join(ordered[:_SHOWN]) + more
