"""The plans on a healthy lab with one seed after the other. `python -m benchmarks.seeds --count 20`

Exit status: 0 everything passed and nothing was left behind, 1 something was not green, 2 the input is wrong.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.planrun import ROOT, PlanRun, PlanRunError, run_plans


@dataclass(frozen=True, slots=True)
class SeededRun:
    """What came out with one seed; `run` is None when it left no verdicts, and `error` says why."""

    seed: int
    run: PlanRun | None
    error: str = ""

    @property
    def clean(self) -> bool:
        """Whether everything passed and nothing was left behind."""
        return self.run is not None and not self.run.not_green and not self.run.leftovers

    def line(self) -> str:
        """The row of the table, with a reason for each scenario that is not green."""
        if self.run is None:
            return f"{self.seed:>5}  no verdicts: {self.error}"
        wrong = sorted(self.run.not_green)
        left = "not reported" if self.run.leftovers is None else str(len(self.run.leftovers))
        row = f"{self.seed:>5} {self.run.seconds:>7.1f} {left:>13}  {' '.join(wrong) or 'all passed'}"
        reasons = [f"       {name}: {self.run.verdicts[name]}; {self.run.reasons.get(name, '')}" for name in wrong]
        return "\n".join([row, *reasons, *(f"       left behind: {name}" for name in self.run.leftovers or ())])

    def to_json(self) -> dict[str, object]:
        """A JSON object of plain values."""
        if self.run is None:
            return {"seed": self.seed, "error": self.error}
        return {
            "seed": self.seed,
            "seconds": round(self.run.seconds, 1),
            "not_green": {name: self.run.verdicts[name] for name in sorted(self.run.not_green)},
            "reasons": dict(self.run.reasons),
            "leftovers": None if self.run.leftovers is None else list(self.run.leftovers),
        }


def with_seed(seed: int, results: Path, tests: Sequence[str] = ("tests",)) -> SeededRun:
    """The plans with one seed."""
    try:
        return SeededRun(seed, run_plans(results, "--lab-seed", str(seed), tests=tests))
    except PlanRunError as error:
        return SeededRun(seed, None, str(error))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the seeds; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.seeds", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20, help="how many seeds (default: 20)")
    parser.add_argument("--first", type=int, default=1, help="the first seed (default: 1)")
    parser.add_argument("--tests", nargs="+", default=["tests"], metavar="PATH", help="default: those of every plan")
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "seeds", help="where the results go")
    options = parser.parse_args(arguments)
    if options.count < 1:
        parser.error("--count must be at least 1")
    print(f"{'seed':>5} {'wall s':>7} {'left behind':>13}  not green")
    runs: list[SeededRun] = []
    for seed in range(options.first, options.first + options.count):
        runs.append(with_seed(seed, options.output / f"seed-{seed}", options.tests))
        print(runs[-1].line(), flush=True)
        written = {"clean": sum(run.clean for run in runs), "runs": [run.to_json() for run in runs]}
        (options.output / "seeds.json").write_text(json.dumps(written, indent=1), encoding="utf-8")
    print(summary(runs))
    return int(not all(run.clean for run in runs))


def summary(runs: Sequence[SeededRun]) -> str:
    """How many were clean, and how long they took."""
    seconds = [run.run.seconds for run in runs if run.run is not None]
    took = f", median {statistics.median(seconds):.0f} s, longest {max(seconds):.0f} s" if seconds else ""
    return f"{sum(run.clean for run in runs)} of {len(runs)} seeds clean{took}"


if __name__ == "__main__":
    sys.exit(main())
