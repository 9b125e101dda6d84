"""The picture of one object over time: what its conditions said, and a number of it as a step line."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence

from utilities.evidence import areas, canvas
from utilities.evidence.areas import Area
from utilities.evidence.canvas import MARGIN, Axis, Part
from utilities.evidence.chart import Bar, Lane, draw
from utilities.history.machines import Condition, conditions
from utilities.history.objects import Obj
from utilities.history.recording import Recording, Step

_REASONS = {"Succeeded": "#1a7f37", "Running": "#0969da", "Failed": "#cf222e"}
_STATUSES = {"True": "#2da44e", "False": "#9a6700", "Unknown": "#8c959f"}
_NUMBER = "#8250df"
_UUID = re.compile(r"\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_MESSAGES = 40  # at most; of more, the first and the last
_COLUMNS = 140  # characters of a line of a message


def picture(
    title: str,
    recording: Recording,
    kind: str,
    about: str,
    shown: Sequence[str],
    numbers: Mapping[str, Callable[[Obj], float]] | None = None,
) -> str:
    """SVG of conditions of an object (uid, `namespace/name` or `name`), in product time, with their messages below.

    shown: types of conditions. numbers: by name, a number that the object tells. Raises NotEnoughEvidence if a state
    may have been missed, or if the object never appeared.
    """
    found = {name: conditions(recording, kind, about, name) for name in shown}
    told = {name: recording.steps(kind, about, pick) for name, pick in (numbers or {}).items()}
    stamps = [r.product_time for r in recording.of_kind(kind, about) if r.product_time is not None]
    root = canvas.blank(title)
    if not stamps:
        canvas.text(root, f"{MARGIN}%", canvas.TOP + canvas.LINE, "nothing was recorded")
        return canvas.finished(root, canvas.TOP + canvas.LINE)
    axis, lines, y = Axis(min(stamps), max(stamps)), canvas.grid(root), float(canvas.TOP)
    for name, steps in found.items():
        y = draw(root, axis, y, Lane(name, tuple(_bars(steps, axis))))
    for name, steps in told.items():
        y = canvas.legend(root, y, [Part(name)])
        held = [areas.Step(start, end, step.value) for step, start, end in _times(steps, axis) if step.value]
        most = max((step.most for step in held), default=0.0)
        y = areas.draw(root, axis, y, [Area(_NUMBER, tuple(held))], most).bottom + 8
    y = canvas.label(root, lines, axis, y)
    for line in _messages(found, axis):
        canvas.text(root, f"{MARGIN}%", y + 13, line, size="11", colour="#333333")
        y += canvas.LINE - 3
    return canvas.finished(root, y)


def _times(steps: Sequence[Step], axis: Axis) -> list[tuple[Step, float, float]]:
    """Steps with the time from when until when they held; a write without a newer stamp is as old as the one before."""
    starts: list[float] = []
    for step in steps:
        stamp = step.record.product_time
        before = starts[-1] if starts else axis.first
        starts.append(before if stamp is None else max(stamp, before))
    return list(zip(steps, starts, [*starts[1:], axis.last], strict=True))


def _bars(steps: Sequence[Step], axis: Axis) -> list[Bar]:
    bars: list[Bar] = []
    for step, start, end in _times(steps, axis):
        said = step.value
        if isinstance(said, Condition):
            label = f"{said.status} {said.reason}".strip()
            colour = _REASONS.get(said.reason) or _STATUSES.get(said.status, "#57606a")
            bars.append(Bar(start, end, label, colour, f"{label}: {_short(said.message)}", timed=False))
    return bars


def _messages(found: Mapping[str, Sequence[Step]], axis: Axis) -> list[str]:
    """Each thing that a condition said, when it began to say it."""
    told: list[tuple[float, str]] = []
    for name, steps in found.items():
        for step, start, _ in _times(steps, axis):
            said = step.value
            if isinstance(said, Condition):
                text = f"{name} {said.status} {said.reason}: {_short(said.message)}"
                told.append((start, f"{start - axis.first:+.0f} s  {text}"))
    lines = [line for _, text in sorted(told) for line in textwrap.wrap(text, _COLUMNS, subsequent_indent="      ")]
    if len(lines) <= _MESSAGES:
        return lines
    half = _MESSAGES // 2
    return [*lines[:half], f"… {len(lines) - 2 * half} lines left out …", *lines[-half:]]


def _short(message: str) -> str:
    """Uuids by their beginnings, as people compare them."""
    return _UUID.sub(r"\1", message)
