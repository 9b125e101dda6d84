"""What linting 200 plans costs, beside what markdown-it alone takes to parse them."""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from markdown_it import MarkdownIt

from utilities.stp.batch import lint_files
from utilities.stp.linting import lint, subject_of
from utilities.stp.parsing import find_plans, load_plan

PLANS = 200
ROUNDS = 3
ROOT = Path(__file__).parents[1]
PATTERNS = (
    ROOT / "unittests/stp/cases/00-clean.md",
    ROOT / "unittests/stp/cases/10-gpu-move-review.md",
    *find_plans(ROOT / "stps"),
)
"""The complete plans at hand; each gives a third of the plans, with a quarter of its words changed."""


@dataclass(frozen=True, slots=True)
class Result:
    """One way to go through all plans.

    cores: processes it may use; seconds: of the best round, on the clock; cpu: seconds of work in that round, all
    processes together, which busy neighbours change less.
    """

    name: str
    plans: int
    kilobytes: int
    cores: int
    seconds: float
    cpu: float


def main(output: Path) -> None:
    """Print the table and write `stp_lint.json`."""
    results = measure()
    alone = results[0]
    print(f"{'200 plans':<22} {'cores':>5} {'seconds':>9} {'CPU':>9} {'CPU/plan':>10} {'of parser':>10}")
    for result in results:
        each = 1000 * result.cpu / result.plans
        times = f"{result.seconds:>8.2f}s {result.cpu:>8.2f}s {each:>8.1f}ms"
        print(f"{result.name:<22} {result.cores:>5} {times} {result.cpu / alone.cpu:>10.2f}")
    print(f"{alone.kilobytes} kB in all")
    (output / "stp_lint.json").write_text(json.dumps([asdict(each) for each in results], indent=1), encoding="utf-8")


def measure() -> list[Result]:
    """The same plans gone through in four ways."""
    with TemporaryDirectory() as directory:
        files = write_plans(Path(directory), PLANS)
        parser = MarkdownIt("commonmark").enable("table")
        ways: list[tuple[str, int, Callable[[], object]]] = [
            ("markdown-it alone", 1, lambda: [parser.parse(file.read_text(encoding="utf-8")) for file in files]),
            ("read into the model", 1, lambda: [load_plan(file) for file in files]),
            ("read and lint", 1, lambda: [lint(subject_of(load_plan(file))) for file in files]),
            ("stp lint", os.cpu_count() or 1, lambda: lint_files(files)),
        ]
        kilobytes = sum(file.stat().st_size for file in files) // 1000
        return [Result(name, len(files), kilobytes, cores, *_best(way)) for name, cores, way in ways]


def write_plans(folder: Path, count: int) -> Sequence[Path]:
    """Plans that differ in words and in nothing else, so that nothing can be remembered from one to the next."""
    chance = random.Random(PLANS)
    files = []
    for number in range(count):
        text = PATTERNS[number % len(PATTERNS)].read_text(encoding="utf-8")
        words = sorted(set(re.findall(r"\b[a-z]{5,}\b", text)))
        changed = {word: f"{word}{chance.choice('xyz')}" for word in chance.sample(words, len(words) // 4)}
        files.append(folder / f"plan-{number:03}.md")
        files[-1].write_text(
            re.sub(r"\b[a-z]{5,}\b", lambda match, new=changed: new.get(match[0], match[0]), text), encoding="utf-8"
        )
    return files


def _best(way: Callable[[], object]) -> tuple[float, float]:
    """(seconds on the clock, seconds of CPU) of the round that took the least CPU."""
    rounds = []
    for _ in range(ROUNDS):
        start, before = time.monotonic(), os.times()
        way()
        after = os.times()
        rounds.append((sum(after[:4]) - sum(before[:4]), time.monotonic() - start))
    cpu, seconds = min(rounds)
    return seconds, cpu
