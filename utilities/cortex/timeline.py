"""The picture of double-blocking: where VMs and their slots were over product time, and what was held twice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from utilities.cortex.blocking import Place
from utilities.evidence import areas, canvas
from utilities.evidence.areas import Area, Step
from utilities.evidence.canvas import Axis, Part
from utilities.evidence.chart import Bar, Lane, draw

if TYPE_CHECKING:
    from utilities.cortex.witness import Moves

_HOSTS = ("#0969da", "#1a7f37", "#8250df", "#bf8700", "#0a7ea4", "#57606a")
_TRANSIT, _TWICE = "#cf222e", "#cf222e"
_GI = 2**30
_TAIL = 0.06  # of the time, for what holds at its end


def picture(title: str, moves: Moves) -> str:
    """SVG. A host has one colour; a slot on two hosts is red, so is what is blocked twice; an empty slot is grey."""
    root = canvas.blank(title)
    blocking = moves.blocking
    levels = blocking.levels()
    names = sorted({host for vm in moves.vms for host, _, _ in blocking.hosts_of(vm.server.id)})
    colours = {name: _HOSTS[number % len(_HOSTS)] for number, name in enumerate(names)}
    last = levels[-1].end
    tail = max(_TAIL * (last - levels[0].start), 1.0)
    axis, lines, y = Axis(levels[0].start, last + tail), canvas.grid(root), float(canvas.TOP)

    for vm in moves.vms:
        for host, start, end in blocking.hosts_of(vm.server.id):
            on = end >= last and host == moves.host(vm.server)
            bar = Bar(start, end + tail if on else end, host, colours[host], timed=not on)
            y = draw(root, axis, y, Lane(f"{vm.server.name} listed by {host}", (bar,)))
    for slot in sorted({vm.slot for vm in moves.vms}):
        bars = [_slot(place, start, end, colours) for place, start, end in blocking.places_of(slot)]
        y = draw(root, axis, y, Lane(f"slot {slot}", (*bars[:-1], replace(bars[-1], end=last + tail))))
    y = canvas.legend(root, y, [Part("blocked twice, GiB", ""), Part(f"at most {blocking.peak / _GI:g} GiB", _TWICE)])
    ends = [*(level.end for level in levels[:-1]), last + tail]
    held = tuple(
        Step(level.start, end, level.over / _GI) for level, end in zip(levels, ends, strict=True) if level.over > 0
    )
    y = areas.draw(root, axis, y, [Area(_TWICE, held)], max(blocking.peak / _GI, 1.0)).bottom + 8
    return canvas.finished(root, canvas.label(root, lines, axis, y))


def _slot(place: Place, start: float, end: float, colours: dict[str, str]) -> Bar:
    colour = colours.get(place.target, "#57606a") if place.expected else "#8c959f"
    moving = place.target != place.host
    return Bar(start, end, _where(place), _TRANSIT if moving else colour, str(place), timed=False)


def _where(place: Place) -> str:
    if place.target != place.host:
        return f"{place.host or 'nowhere'} to {place.target}"
    kept = "" if place.expected else ", empty"
    return f"{place.target or 'nowhere'}{kept}"
