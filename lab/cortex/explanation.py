"""The text a History tells of a run: who was filtered out where, who was selected, and why (cortex sheet §1.5)."""

from __future__ import annotations

from collections.abc import Sequence

from lab.cortex.ranking import reasons
from lab.cortex.scheduling.runs import Run

_SHOWN = 10  # hosts of a list; of the others only their number is told


def failure(error: str) -> str:
    """The text of a run without a result."""
    return f"Pipeline run failed: {error}."


def explanation(run: Run) -> str:
    """The text of a run with a result."""
    selected = f"Selected host: {run.target}." if run.target is not None else ""
    if not run.steps or not run.raw_in_weights:
        return selected
    left = set(run.raw_in_weights)
    lines = [f"Started with {len(left)} host(s).", ""]
    for step in run.steps:
        removed = sorted(left - set(step.activations))
        left -= set(removed)
        if removed:
            lines.append(f"{step.name} filtered out {_listed(removed)}")
    lines += ["", f"{len(left)} hosts remaining ({_listed(sorted(left))})", ""]
    told = [*("\n".join(lines), selected), ""] if selected else ["\n".join(lines)]
    return "\n".join([*told, *reasons(run)]).strip()


def _listed(hosts: Sequence[str]) -> str:
    more = f" (and {len(hosts) - _SHOWN} more)" if len(hosts) > _SHOWN else ""
    return ", ".join(hosts[:_SHOWN]) + more
