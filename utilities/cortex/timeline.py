"""The picture of double-blocking: where VMs and their slots were over product time, and what was held twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from utilities.cortex.blocking import Place
from utilities.evidence import areas, canvas
from utilities.evidence.areas import Area, Step
from utilities.evidence.canvas import Axis, Part
from utilities.evidence.chart import Bar, Lane, draw

if TYPE_CHECKING:
    from utilities.cortex.witness import Committed, Moves

_HOSTS = ("#0969da", "#1a7f37", "#8250df", "#bf8700", "#0a7ea4", "#57606a")
_TRANSIT, _TWICE = "#cf222e", "#cf222e"
_GI = 2**30


def picture(title: str, moves: Moves) -> str:
    """SVG. The source of all is the first colour; a slot on two hosts is red, so is what is blocked twice."""
    root = canvas.blank(title)
    blocking = moves.blocking
    levels = blocking.levels()
    names = sorted({host for vm in moves.vms for host, _, _ in blocking.hosts_of(vm.server.id)})
    colours = {name: _HOSTS[number % len(_HOSTS)] for number, name in enumerate(names)}
    axis, lines, y = Axis(levels[0].start, levels[-1].end), canvas.grid(root), float(canvas.TOP)
    for vm in moves.vms:
        for host, start, end in blocking.hosts_of(vm.server.id):
            name = f"{vm.server.name} listed by {host}"
            y = draw(root, axis, y, Lane(name, (Bar(start, end, host, colours[host]),)))
        y = draw(root, axis, y, Lane(f"slot {vm.slot}", tuple(_slot(moves, vm, colours))))
    y = canvas.legend(root, y, [Part("blocked twice, GiB", ""), Part(f"at most {blocking.peak / _GI:g} GiB", _TWICE)])
    held = tuple(Step(level.start, level.end, level.over / _GI) for level in levels if level.over > 0)
    y = areas.draw(root, axis, y, [Area(_TWICE, held)], max(blocking.peak / _GI, 1.0)).bottom + 8
    return canvas.finished(root, canvas.label(root, lines, axis, y))


def _slot(moves: Moves, vm: Committed, colours: dict[str, str]) -> Iterator[Bar]:
    for place, start, end in moves.blocking.places_of(vm.slot):
        moving = place.target != place.host
        yield Bar(start, end, _where(place), _TRANSIT if moving else colours.get(place.target, "#57606a"), str(place))


def _where(place: Place) -> str:
    if place.target != place.host:
        return f"{place.host or 'nowhere'} to {place.target}"
    kept = "" if place.expected else ", empty"
    return f"{place.target or 'nowhere'}{kept}"
