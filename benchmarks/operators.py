"""The plan of parallel drains against each program of the simulated operator. `python -m benchmarks.operators`

Exit status: 0 each program breaks exactly what it is known to break, 1 it does not, 2 the input is wrong.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.marks import marks_in
from benchmarks.planrun import ROOT, PlanRun, PlanRunError, run_plans
from lab.hypervisor_operator.programs import FIXED, PARALLEL, SERIAL

PLAN = "tests/eviction_concurrency"
NEEDS_PARALLEL = frozenset(f"EVIC-{number:02}" for number in (1, 2, 3, 5, 6, 7, 21, 27))
"""Scenarios about more than one migration at once: a serial operator must not pass them."""


@dataclass(frozen=True, slots=True)
class Against:
    """How the plan met one program. wrong: what was not as it is known to be, a line each."""

    program: str
    run: PlanRun
    wrong: tuple[str, ...]

    def line(self) -> str:
        """The row of the table."""
        wrong = sorted(self.run.not_green)
        green = len(self.run.verdicts) - len(wrong)
        row = f"{self.program:<28} {self.run.seconds:>6.0f} s  {green:>2} passed, not: {' '.join(wrong)}"
        return "\n".join([row, *(f"    {line}" for line in self.wrong)])


def known_issues(tests: Path) -> frozenset[str]:
    """Scenarios whose test has a mark `known_issue`."""
    found: set[str] = set()
    for path in sorted(tests.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                marks = "\n".join(ast.unparse(mark) for mark in node.decorator_list)
                if "mark.known_issue(" in marks:
                    found.update(name for mark in marks_in(marks, path) for name in mark.scenarios)
    return frozenset(found)


def judge(program: str, run: PlanRun, known: frozenset[str]) -> Against:
    """The fixed program breaks nothing, the proposal what it is known to break, the serial one cannot do the rest."""
    expected = {FIXED: frozenset[str](), PARALLEL: known}.get(program)
    if expected is None:
        passed = sorted(NEEDS_PARALLEL - run.not_green)
        return Against(program, run, tuple(f"{name} passed, though nothing is parallel" for name in passed))
    reasons = [
        *(f"{name} is not red, though it is known to be" for name in sorted(expected - run.red)),
        *(f"{name} is {run.verdicts[name]}: {run.reasons.get(name, '')}" for name in sorted(run.not_green - expected)),
    ]
    return Against(program, run, tuple(reasons))


def against(program: str, results: Path) -> Against:
    """The plan on a lab with that program. Raises PlanRunError."""
    run = run_plans(results, "--lab-operator", program, tests=(PLAN,))
    return judge(program, run, known_issues(ROOT / PLAN))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the plan against programs; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.operators", description=__doc__.splitlines()[0])
    known = (FIXED, PARALLEL, SERIAL)
    parser.add_argument(
        "programs", nargs="*", choices=[[], *known], metavar="PROGRAM", help=f"default: {' '.join(known)}"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "operators", help="where the results go")
    options = parser.parse_args(arguments)
    rows: list[Against] = []
    for program in options.programs or known:
        try:
            rows.append(against(program, options.output / program))
        except PlanRunError as error:
            print(f"{program}: {error}")
            return 1
        print(rows[-1].line(), flush=True)
    written = {row.program: {"not_green": sorted(row.run.not_green), "wrong": row.wrong} for row in rows}
    (options.output / "operators.json").write_text(json.dumps(written, indent=1), encoding="utf-8")
    return int(any(row.wrong for row in rows))


if __name__ == "__main__":
    sys.exit(main())
