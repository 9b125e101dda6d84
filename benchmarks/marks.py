"""What tests say about the faults that must turn them red, held against the catalogue and the plans."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.faults import Fault


@dataclass(frozen=True, slots=True)
class CaughtBy:
    """One `scenario(*scenarios, caught_by=faults)` mark, and where it stands (`file:line`)."""

    where: str
    scenarios: tuple[str, ...]
    faults: tuple[str, ...]


def read_marks(tests: Path) -> tuple[CaughtBy, ...]:
    """Every scenario mark in the test modules below a folder, wherever it stands in them."""
    return tuple(
        mark for path in sorted(tests.rglob("test_*.py")) for mark in marks_in(path.read_text(encoding="utf-8"), path)
    )


def packages_of(scenarios: Iterable[str], tests: Path) -> tuple[str, ...]:
    """Packages below a folder of tests that claim one of these scenarios, each with the folder's name in front."""
    wanted = set(scenarios)
    folders = sorted(folder for folder in tests.iterdir() if folder.is_dir())
    return tuple(
        f"{tests.name}/{folder.name}"
        for folder in folders
        if any(wanted & set(mark.scenarios) for mark in read_marks(folder))
    )


def marks_in(text: str, path: Path) -> Iterator[CaughtBy]:
    """The scenario marks in the text of a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.scenario"):
            caught_by = next((keyword.value for keyword in node.keywords if keyword.arg == "caught_by"), None)
            scenarios = tuple(str(ast.literal_eval(argument)) for argument in node.args)
            yield CaughtBy(f"{path.name}:{node.lineno}", scenarios, _names(caught_by))


def _names(written: ast.expr | None) -> tuple[str, ...]:
    value = None if written is None else ast.literal_eval(written)
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def disagreements(marks: Iterable[CaughtBy], catalogue: Sequence[Fault], scenarios: Iterable[str]) -> tuple[str, ...]:
    """What does not fit, a line each. scenarios: ids of the plans that are automated."""
    known = {fault.name: fault for fault in catalogue}
    wanted = set(scenarios)
    found: list[str] = []
    marked: set[str] = set()
    for mark in marks:
        marked.update(mark.scenarios)
        if not mark.faults:
            found.append(f"{mark.where}: {', '.join(mark.scenarios)} names no fault that must turn it red")
        for name in mark.faults:
            if name not in known:
                found.append(f"{mark.where}: there is no fault {name!r}")
                continue
            undeclared = set(mark.scenarios) - known[name].scenarios
            found.extend(f"{mark.where}: fault {name} does not declare {scenario}" for scenario in sorted(undeclared))
    caught = frozenset[str]().union(*(fault.scenarios for fault in catalogue))
    found.extend(f"scenario {name} has no fault that turns it red" for name in sorted(wanted - caught))
    found.extend(f"scenario {name} has no test with a mark" for name in sorted(wanted - marked))
    for fault in catalogue:
        found.extend(f"fault {fault.name} declares unknown {name}" for name in sorted(fault.scenarios - wanted))
    return tuple(found)
