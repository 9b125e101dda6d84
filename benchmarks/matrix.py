"""The fault matrix: the plans on a lab broken in one way after the other. `python -m benchmarks.matrix [FAULT…]`

Exit status: 0 every fault turned red what it declares and nothing else, 1 it did not, 2 the input is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.exactness import Cell, Row
from benchmarks.marks import disagreements, packages_of, read_marks
from benchmarks.matrix_page import page
from benchmarks.planrun import ROOT, PlanRunError, run_plans
from lab.faults import CATALOGUE, Fault, UnknownFaultError, named
from utilities.stp import Plan, find_plans, load_plan


def plans() -> tuple[Plan, ...]:
    """Every plan of the project."""
    return tuple(load_plan(path) for path in find_plans(ROOT / "stps"))


def automated(plans: Iterable[Plan], priority: str | None = None) -> tuple[str, ...]:
    """Ids of the scenarios that are not excluded, of one priority or of all."""
    return tuple(
        scenario.id
        for plan in plans
        for scenario in plan.scenarios
        if scenario.exclusion is None and priority in (None, scenario.priority)
    )


def marks_that_lie() -> tuple[str, ...]:
    """Where marks, catalogue and plans do not agree, a line each."""
    return disagreements(read_marks(ROOT / "tests"), CATALOGUE, automated(plans()))


def run_broken(faults: Sequence[Fault], results: Path, *, every_plan: bool = False) -> Row:
    """The plans whose scenarios these faults declare, or all, on a lab with the faults. Raises PlanRunError."""
    options = [word for fault in faults for word in ("--lab-fault", fault.name)]
    declared = [scenario for fault in faults for scenario in fault.scenarios]
    tests = ("tests",) if every_plan else packages_of(declared, ROOT / "tests")
    return Row(tuple(faults), run_plans(results, *options, tests=tests))


def declaring(prefix: str) -> tuple[Fault, ...]:
    """The faults that declare scenarios of a plan, by the prefix of its ids. Raises UnknownFaultError if none does."""
    found = tuple(fault for fault in CATALOGUE if any(name.startswith(f"{prefix}-") for name in fault.scenarios))
    if not found:
        raise UnknownFaultError(f"no lab fault declares a scenario {prefix}-…")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the matrix; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.matrix", description=__doc__.splitlines()[0])
    parser.add_argument("faults", nargs="*", metavar="FAULT", help="default: all (python -m lab faults)")
    parser.add_argument("--plan", metavar="PREFIX", help="all faults that declare its scenarios, such as EVIC")
    parser.add_argument(
        "--every-plan", action="store_true", help="run every plan under each fault, not only those that it declares"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "matrix", help="where the results go")
    options = parser.parse_args(arguments)
    try:
        chosen = declaring(options.plan) if options.plan else CATALOGUE
        faults = named(options.faults, CATALOGUE) if options.faults else chosen
    except UnknownFaultError as error:
        print(error, file=sys.stderr)
        return 2
    lies = marks_that_lie()
    for lie in lies:
        print(lie)
    rows: list[Row] = []
    failed: list[str] = []
    for fault in faults:
        try:
            rows.append(run_broken([fault], options.output / fault.name, every_plan=options.every_plan))
        except PlanRunError as error:
            failed.append(f"{fault.name}: {error}")
            print(failed[-1], flush=True)
            continue
        print(line(rows[-1]), flush=True)
        _write(options.output, rows, [*lies, *failed])
    print(f"matrix: {options.output / 'matrix.html'}")
    return int(bool(lies or failed) or not all(row.exact for row in rows))


def line(row: Row) -> str:
    """The row in words: counts, and every mismatch with its reason."""
    caught = len(row.of(Cell.CAUGHT))
    words = f"{row.name:<32} {row.run.seconds:5.0f} s  {caught:>2} of {len(row.declared)} declared are red"
    return words if row.exact else f"{words}\n{row.story()}"


def _write(output: Path, rows: Sequence[Row], notes: Sequence[str]) -> None:
    written = {"exact": all(row.exact for row in rows) and not notes, "notes": list(notes)}
    output.mkdir(parents=True, exist_ok=True)
    (output / "matrix.json").write_text(
        json.dumps({**written, "rows": [row.to_json() for row in rows]}, indent=1), encoding="utf-8"
    )
    (output / "matrix.html").write_text(page(rows, notes), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
