"""How large a lab can be: 1,000 nodes, 10,000 VMIs, 100,000 objects, and how each cost grows on the way there.

One lab grows in stages, so that what an operation costs in a small cluster and in a large one are measured in one run.
Rates are of the wall clock; costs are processor time of the lab alone, which busy neighbours stretch less, without what
it uses while nobody asks. Lists are of objects that were listed before.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.scale_client import Client, connected
from benchmarks.scale_lab import LabProcess, lab_of

WATCHES, PAGE = 50, 500
SHARES = (0.1, 0.3, 1.0)  # of the size, at the end of each stage
RATE, GROWTH, MEMORY = 200.0, 1.5, 2048.0
"""Targets: bare objects created a second (ten times what kwok states), cost of the last stage over that of the first,
MiB."""


@dataclass(frozen=True, slots=True)
class Size:
    """What the lab holds in the end. bare: ConfigMaps; pods, events and the like come with the VMIs."""

    nodes: int
    vmis: int
    bare: int
    touched: int  # ConfigMaps changed while watches look on
    listed: int  # ConfigMaps that lists are timed with, however many there are

    def at(self, share: float) -> Size:
        """What it holds at the end of a stage; there are all nodes from the start."""
        return Size(self.nodes, round(self.vmis * share), round(self.bare * share), self.touched, self.listed)


FULL = Size(1000, 10_000, 40_000, 400, 80_000)
SMALL = Size(50, 200, 1000, 50, 10_000)


@dataclass(frozen=True, slots=True)
class Start:
    """A lab of so many nodes: wall seconds until it answers, MiB once it has settled."""

    nodes: int
    seconds: float
    resident: float


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage. Rates per wall second, costs in milliseconds of the lab's processor time, memory in MiB."""

    objects: int
    vmis: int
    bare_rate: float
    bare_cost: float  # a ConfigMap
    vmi_rate: float  # until Running
    vmi_objects_rate: float  # with everything the lab made for them
    vmi_cost: float  # a VMI with all of that
    list_cost: float  # 1,000 ConfigMaps in one answer
    pages_cost: float  # 1,000 ConfigMaps in pages
    event_rate: float  # delivered to all watches together
    event_cost: float  # an event to one watch, without the write behind it
    resting: float  # share of a processor that the lab uses while nobody asks
    resident: float


COSTS = {
    "create a ConfigMap": "bare_cost",
    "a VMI until it runs": "vmi_cost",
    "list 1,000 at once": "list_cost",
    f"list 1,000, {PAGE} a page": "pages_cost",
    "an event to a watch": "event_cost",
}
RATES = {
    "ConfigMaps created": "bare_rate",
    "VMIs running": "vmi_rate",
    "objects around them": "vmi_objects_rate",
    f"events to {WATCHES} watches": "event_rate",
}


def main(output: Path) -> None:
    """Measure at full size, print the tables, write `lab_scale.json`."""
    _report(FULL, output)


def quick(output: Path) -> None:
    """As `main`, small enough to end within a minute; says little about growth."""
    _report(SMALL, output)


def growth(stages: Sequence[Stage], cost: str) -> float:
    """The last stage over the first: 1.0 if the whole grows linearly; infinite if the first was too short to count."""
    first, last = (float(getattr(stage, cost)) for stage in (stages[0], stages[-1]))
    return last / first if first > 0 else math.inf


def table(stages: Sequence[Stage]) -> list[str]:
    """The stages side by side."""
    heads = "".join(f"{stage.objects:>11,}" for stage in stages)
    lines = [f"{'objects in the lab':<30}{heads}{'growth':>9}"]
    lines.append(f"{'  of them VMIs':<30}" + "".join(f"{stage.vmis:>11,}" for stage in stages))
    lines.append(f"{'MiB':<30}" + "".join(f"{stage.resident:>11,.0f}" for stage in stages))
    lines.append(f"{'at rest':<30}" + "".join(f"{stage.resting:>11.1%}" for stage in stages))
    for name, field in RATES.items():
        lines.append(f"{name:<30}" + "".join(f"{getattr(stage, field):>9,.0f}/s" for stage in stages))
    for name, field in COSTS.items():
        cells = "".join(f"{getattr(stage, field):>9,.3f}ms" for stage in stages)
        lines.append(f"{name:<30}{cells}{growth(stages, field):>8.2f}x")
    return lines


def verdicts(stages: Sequence[Stage]) -> list[str]:
    """Each target, and what was reached."""
    slowest = min(stage.bare_rate for stage in stages)
    steepest = max(growth(stages, cost) for cost in COSTS.values())
    largest = stages[-1].resident
    return [
        f"at least {RATE:.0f} objects/s: {slowest:.0f}/s, {_met(slowest >= RATE)}",
        f"linear growth, at most {GROWTH}x: {steepest:.2f}x, {_met(steepest <= GROWTH)}",
        f"under {MEMORY:.0f} MiB: {largest:.0f} MiB, {_met(largest < MEMORY)}",
    ]


def _met(is_met: bool) -> str:
    return "met" if is_met else "not met"


def _report(size: Size, output: Path) -> None:
    starts = [_start(max(1, round(size.nodes * share))) for share in SHARES[:-1]]
    with lab_of(size.nodes) as lab:
        lab.settle()
        starts.append(Start(size.nodes, lab.started, lab.resident))
        stages = asyncio.run(_stages(size, lab))
        most = lab.most_resident
    print()
    for start in starts:
        print(f"{f'start of {start.nodes:,} nodes':<30}{start.seconds:>10.1f}s{start.resident:>8.0f} MiB")
    print("\n".join([*table(stages), *verdicts(stages)]))
    found = {
        "size": asdict(size),
        "starts": [asdict(start) for start in starts],
        "stages": [asdict(stage) for stage in stages],
        "growth": {cost: growth(stages, cost) for cost in COSTS.values()},
        "most_resident": most,
        "targets": {"bare_rate": RATE, "growth": GROWTH, "resident": MEMORY},
    }
    (output / "lab_scale.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


def _start(nodes: int) -> Start:
    with lab_of(nodes) as lab:
        lab.settle()
        return Start(nodes, lab.started, lab.resident)


async def _stages(size: Size, lab: LabProcess) -> list[Stage]:
    stages: list[Stage] = []
    before = size.at(0.0)
    async with connected(lab) as client:
        for share in SHARES:
            wanted = size.at(share)
            stages.append(await _stage(client, lab, before, wanted))
            print(f"{share:>5.0%}: {stages[-1].objects:,} objects, {stages[-1].resident:,.0f} MiB", flush=True)
            before = wanted
    return stages


async def _stage(client: Client, lab: LabProcess, before: Size, wanted: Size) -> Stage:
    """From one size to the next, with everything measured there."""
    bare, vmis = wanted.bare - before.bare, wanted.vmis - before.vmis
    creating = await _timed(lab, client.create_configmaps(range(before.bare, wanted.bare)))
    print(f"       {bare / creating.seconds:,.0f} ConfigMaps/s", flush=True)
    objects = await client.count()
    running = await _timed(lab, client.run_vmis(range(before.vmis, wanted.vmis)))
    print(f"       {vmis / running.seconds:,.0f} VMIs/s", flush=True)
    now = await client.count()
    rounds = math.ceil(wanted.listed / wanted.bare)
    listed = rounds * wanted.bare / 1000
    await client.list_whole()
    resting = lab.settle()
    listing = await _timed(lab, _again(rounds, client.list_whole), resting)
    paging = await _timed(lab, _again(rounds, lambda: client.list_pages(PAGE)), resting)
    touched = range(wanted.touched)
    alone = await _timed(lab, client.touch(touched), resting)
    watching = await _timed(lab, client.watched(WATCHES, touched), resting)
    events = WATCHES * len(touched)
    return Stage(
        objects=now,
        vmis=wanted.vmis,
        bare_rate=bare / creating.seconds,
        bare_cost=1000 * creating.cpu / bare,
        vmi_rate=vmis / running.seconds,
        vmi_objects_rate=(now - objects) / running.seconds,
        vmi_cost=1000 * running.cpu / vmis,
        list_cost=1000 * listing.cpu / listed,
        pages_cost=1000 * paging.cpu / listed,
        event_rate=events / watching.seconds,
        event_cost=1000 * (watching.cpu - alone.cpu) / events,
        resting=resting,
        resident=lab.resident,
    )


@dataclass(frozen=True, slots=True)
class _Cost:
    seconds: float  # of the wall clock
    cpu: float  # seconds of the lab's processor time


async def _again(rounds: int, work: Callable[[], Awaitable[object]]) -> None:
    for _ in range(rounds):
        await work()


async def _timed(lab: LabProcess, work: Awaitable[object], resting: float = 0.0) -> _Cost:
    """resting: the share of a processor that counts as nobody's work."""
    begun, before = time.perf_counter(), lab.cpu
    await work
    seconds = time.perf_counter() - begun
    return _Cost(seconds, lab.cpu - before - resting * seconds)
