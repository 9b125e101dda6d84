"""The picture of a recording: who moved when, in which phase and mode, on which node, and what the guest noticed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from utilities.evidence.chart import Bar, Lane, chart
from utilities.history.continuity import Beat
from utilities.history.migrations import Migration, migrations
from utilities.history.objects import VMI, dig
from utilities.history.recording import Recording, Step

_PHASES = {
    "Pending": "#8c959f",
    "Scheduling": "#9a6700",
    "Scheduled": "#bf8700",
    "PreparingTarget": "#8250df",
    "TargetReady": "#6639ba",
    "Running": "#0969da",
    "Succeeded": "#1a7f37",
    "Failed": "#cf222e",
}
_MODES = {"PreCopy": "#0969da", "Paused": "#bc4c00", "PostCopy": "#cf222e"}
_NODES = ("#116329", "#0a3069", "#5e2dbb", "#7d4e00", "#6e011a", "#3d4248")
_FINAL = 1.0  # seconds shown for a phase that never ends


def picture(title: str, recording: Recording, vmis: Iterable[str], beats: Sequence[Beat] = ()) -> str:
    """SVG of the migrations of some VMIs (`namespace/name`). `beats`: the guest's heartbeat, when it was read."""
    lanes: list[Lane] = []
    for vmi in vmis:
        lanes.append(_nodes(recording, vmi))
        for migration in migrations(recording, vmi=vmi):
            lanes.append(_phases(migration))
            lanes.append(_modes(recording, migration))
    if len(beats) > 1:
        lanes.append(_guest(beats, lanes))
    return chart(title, [lane for lane in lanes if lane.bars])


def _phases(migration: Migration) -> Lane:
    known = [(phase.name, phase.product_time) for phase in migration.phases if phase.product_time is not None]
    ends = [start for _, start in known[1:]] + [start + _FINAL for _, start in known[-1:]]
    bars = [
        Bar(start, max(end, start), name, _PHASES.get(name, "#57606a"))
        for (name, start), end in zip(known, ends, strict=True)
    ]
    return Lane(_short(migration.key), tuple(bars))


def _modes(recording: Recording, migration: Migration) -> Lane:
    seen: list[tuple[str, float]] = []
    last = 0.0
    for record in recording.of_kind(VMI, migration.vmi):
        state = dig(record.object, "status", "migrationState") or {}
        if state.get("migrationUid") != migration.uid or record.product_time is None:
            continue
        last = max(last, record.product_time)
        if state.get("mode") and (not seen or seen[-1][0] != state["mode"]):
            seen.append((state["mode"], last))
    ends = [start for _, start in seen[1:]] + [last] * bool(seen)
    bars = [
        Bar(at, max(end, at), mode, _MODES.get(mode, "#57606a")) for (mode, at), end in zip(seen, ends, strict=True)
    ]
    return Lane("mode", tuple(bars))


def _nodes(recording: Recording, vmi: str) -> Lane:
    steps: tuple[Step, ...] = recording.steps(VMI, vmi, lambda obj: dig(obj, "status", "nodeName"))
    end = max((record.product_time or 0.0 for record in recording.records), default=0.0)
    names = list(dict.fromkeys(step.value for step in steps if step.value))
    times = [step.record.product_time or end for step in steps]
    bars = [
        Bar(start, max(stop, start), str(step.value), _NODES[names.index(step.value) % len(_NODES)], f"on {step.value}")
        for step, start, stop in zip(steps, times, [*times[1:], end], strict=True)
        if step.value
    ]
    return Lane(_short(vmi), tuple(bars))


def _guest(beats: Sequence[Beat], lanes: Sequence[Lane]) -> Lane:
    """Running and standing still, within the time the other lanes show."""
    shown = [edge for lane in lanes for bar in lane.bars for edge in (bar.start, bar.end)]
    first, last = (min(shown), max(shown)) if shown else (beats[0].at, beats[-1].at)
    regular = sorted(two.at - one.at for one, two in pairwise(beats))[len(beats) // 2 - 1]
    bars: list[Bar] = []
    start = beats[0].at
    for one, two in pairwise(beats):
        if two.at - one.at > 3 * regular:
            bars.append(Bar(start, one.at, "runs", "#1a7f37", "guest runs"))
            bars.append(Bar(one.at, two.at, "paused", "#bc4c00", f"no heartbeat after beat {one.counter}"))
            start = two.at
    bars.append(Bar(start, beats[-1].at, "runs", "#1a7f37", "guest runs"))
    cut = [Bar(max(bar.start, first), min(bar.end, last), bar.label, bar.colour, bar.detail) for bar in bars]
    return Lane("guest", tuple(bar for bar in cut if bar.end > bar.start))


def _short(key: str) -> str:
    name = key.rpartition("/")[2]
    return name if len(name) <= 22 else f"…{name[-21:]}"
