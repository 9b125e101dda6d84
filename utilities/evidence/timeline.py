"""The picture of a recording: who moved when, in which phase and mode, on which node, and what the guest noticed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from utilities.evidence.chart import Bar, Lane, chart
from utilities.history.continuity import Beat
from utilities.history.machines import conditions
from utilities.history.migrations import FINAL_PHASES, Migration, migrations
from utilities.history.objects import VMI, VMIM, dig, seconds
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
_MACHINE_PHASES = {"Pending": "#8c959f", "Scheduling": "#9a6700", "Scheduled": "#bf8700", "Running": "#2da44e"}
_ANSWERS = {"True": "#1f883d", "False": "#8c959f"}
_MODES = {"PreCopy": "#0969da", "Paused": "#bc4c00", "PostCopy": "#cf222e"}
_OTHER = "#57606a"
_NODES = ("#116329", "#0a3069", "#5e2dbb", "#7d4e00", "#6e011a", "#3d4248")
_RUNS = "#2da44e"
_LONGEST = "#e3b341"
_STANDS_STILL = "#bc4c00"
_MOMENT = 1.0  # seconds; time stamps of phases have no finer resolution
_LEAD = 0.15  # share of the migrations' time that is shown before the first one begins
_NOTICEABLE = 1.1  # times the usual interval between beats
_STILL = 3  # times the usual interval between beats: longer counts as standing still


def picture(title: str, recording: Recording, vmis: Iterable[str], beats: Sequence[Beat] = ()) -> str:
    """SVG of the migrations of some VMIs (`namespace/name`), from shortly before the first one until the end.

    beats: the guest's heartbeat, when it was read.
    """
    lanes: list[Lane] = []
    begun: list[float] = []
    for vmi in vmis:
        lanes += _machine(recording, vmi)
        for migration in migrations(recording, vmi=vmi):
            phases = _phases(recording, migration)
            begun += [bar.start for bar in phases.bars[:1]]
            lanes += [phases, _modes(recording, migration)]
    guest = _guest(beats) if len(beats) > 1 else Lane("guest", ())
    lanes.append(guest)
    edges = [edge for lane in lanes for bar in lane.bars for edge in (bar.start, bar.end) if edge < math.inf]
    last = max([*edges, *(record.product_time or 0.0 for record in recording.records)], default=0.0)
    first = min(edges, default=0.0)
    if begun:
        told = [bar.start for bar in guest.bars if bar.timed]
        first = min([min(begun) - _LEAD * (last - min(begun)), *told])
    elif guest.bars:
        first = guest.bars[0].start
    cut = [_within(lane, first, last) for lane in lanes]
    return chart(title, [lane for lane in cut if lane.bars])


def _within(lane: Lane, first: float, last: float) -> Lane:
    """The part of a lane between two times."""
    bars = [bar for bar in lane.bars if bar.end >= first and bar.start <= last]
    return Lane(lane.name, tuple(replace(bar, start=max(bar.start, first), end=min(bar.end, last)) for bar in bars))


def _phases(recording: Recording, migration: Migration) -> Lane:
    """The last phase lasts until the last word about the migration, and a moment more: it is what came out."""
    known = [(phase.name, phase.product_time) for phase in migration.phases if phase.product_time is not None]
    stamps = [record.product_time or 0.0 for record in recording.of_kind(VMIM, migration.uid)]
    ends = [start for _, start in known[1:]] + [max([start, *stamps]) + _MOMENT for _, start in known[-1:]]
    bars = [
        Bar(start, max(end, start), name, _PHASES.get(name, _OTHER), timed=name not in FINAL_PHASES)
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
    ended = migration.state.get("endTimestamp")
    ends = [start for _, start in seen[1:]] + [seconds(ended) if ended else last] * bool(seen)
    bars = [Bar(at, max(end, at), mode, _MODES.get(mode, _OTHER)) for (mode, at), end in zip(seen, ends, strict=True)]
    return Lane("mode", tuple(bars))


def _machine(recording: Recording, vmi: str) -> list[Lane]:
    """Where the VMI was, whether it could be migrated, and its phases if there was more than one."""
    nodes = recording.steps(VMI, vmi, lambda obj: dig(obj, "status", "nodeName"))
    names = list(dict.fromkeys(step.value for step in nodes if step.value))
    phases = recording.steps(VMI, vmi, lambda obj: dig(obj, "status", "phase"))
    migratable = conditions(recording, VMI, vmi, "LiveMigratable")
    said = tuple(replace(step, value=step.value and step.value.status) for step in migratable)
    lanes = [
        _states(_short(vmi), nodes, {name: _NODES[number % len(_NODES)] for number, name in enumerate(names)}),
        _states("live-migratable", said, _ANSWERS),
    ]
    if len(phases) > 1:
        lanes.insert(0, _states("phase", phases, _MACHINE_PHASES))
    return lanes


def _states(name: str, steps: Sequence[Step], colours: Mapping[str, str]) -> Lane:
    """What was so until it changed; the last is so for ever."""
    times = [step.record.product_time or 0.0 for step in steps]
    bars = [
        Bar(start, max(stop, start), str(step.value), colours.get(step.value, _OTHER), timed=False)
        for step, start, stop in zip(steps, times, [*times[1:], math.inf], strict=True)
        if step.value
    ]
    return Lane(name, tuple(bars))


def _guest(beats: Sequence[Beat]) -> Lane:
    """Running, and standing still; if it never stood still, the longest time between two beats if one stands out."""
    intervals = [two.at - one.at for one, two in pairwise(beats)]
    usual = sorted(intervals)[(len(intervals) - 1) // 2]
    longest = intervals.index(max(intervals)) if max(intervals) > _NOTICEABLE * usual else None
    bars: list[Bar] = []
    for number, (one, two) in enumerate(pairwise(beats)):
        after = f"after beat {one.counter}"
        if intervals[number] > _STILL * usual:
            bars.append(Bar(one.at, two.at, "no heartbeat", _STANDS_STILL, f"no heartbeat {after}"))
        elif number == longest:
            bars.append(Bar(one.at, two.at, "longest between beats", _LONGEST, f"longest between beats, {after}"))
        elif bars and bars[-1].label == "runs":
            bars[-1] = replace(bars[-1], end=two.at)
        else:
            bars.append(Bar(one.at, two.at, "runs", _RUNS, timed=False))
    return Lane("guest", tuple(bars))


def _short(key: str) -> str:
    name = key.rpartition("/")[2]
    return name if len(name) <= 22 else f"…{name[-21:]}"
