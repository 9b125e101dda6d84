"""10,000 damaged plans: each gives findings or one clear error, and how long the slowest takes."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.stp_lint import PATTERNS
from unittests.stp.mutants import mutant
from utilities.stp.errors import StpError
from utilities.stp.linting import lint, subject_of
from utilities.stp.outlining import outline
from utilities.stp.parsing import load_plan
from utilities.stp.showing import show
from utilities.stp.traceability import trace

SEED = 20260108
_WHOLE = tuple(path.read_bytes() for path in PATTERNS)


@dataclass(frozen=True, slots=True)
class Result:
    """One kind of damage. refused: plans that gave an error; worst: wall seconds of the slowest plan."""

    name: str
    plans: int
    findings: int
    refused: int
    worst: float


def main(output: Path) -> None:
    """Print the table and write `stp_mutants.json`; a traceback ends it."""
    print(f"{'damage':<32} {'plans':>6} {'findings':>9} {'refused':>8} {'worst':>9}")
    results = []
    for result in measure():
        results.append(result)
        print(
            f"{result.name:<32} {result.plans:>6} {result.findings:>9} {result.refused:>8} {result.worst:>8.3f}s",
            flush=True,
        )
    (output / "stp_mutants.json").write_text(json.dumps([asdict(each) for each in results], indent=1), encoding="utf-8")


def measure() -> Iterator[Result]:
    """Everything the toolchain does with a file, over every kind of damage."""
    chance = random.Random(SEED)
    for name, (count, damaged) in _KINDS.items():
        with TemporaryDirectory() as directory:
            yield _judged(name, count, damaged, chance, Path(directory) / "plan.md")


def _judged(
    name: str, count: int, damaged: Callable[[random.Random], bytes], chance: random.Random, file: Path
) -> Result:
    findings = refused = 0
    worst = 0.0
    for _ in range(count):
        file.write_bytes(damaged(chance))
        start = time.monotonic()
        try:
            plan = load_plan(file)
            findings += len(lint(subject_of(plan, fragment=True)))
            show(plan)
            outline(plan)
            trace([plan], [])
        except StpError:
            refused += 1
        worst = max(worst, time.monotonic() - start)
    return Result(name, count, findings, refused, worst)


def _binary(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randint(1, 20_000))


def _nested(chance: random.Random) -> bytes:
    bullet = chance.choice(("- x", "> x", "- **Risk:** x", "1. x", "* [ ] y"))
    width = chance.choice((1, 2, 3, 4))
    rows = (f"{' ' * width * depth}{bullet}" for depth in range(chance.randint(50, 400)))
    return b"#### **5. Risks**\n" + "\n".join(rows).encode()


def _endless(chance: random.Random) -> bytes:
    return chance.choice((b"[", b"**", b"![", b"<!--", b"`", b"|", b"> ", b"- ", b"&#", b"\\")) * chance.randint(
        1000, 60_000
    )


_KINDS: Mapping[str, tuple[int, Callable[[random.Random], bytes]]] = {
    "cut, swapped, garbled windows": (8300, mutant),
    "cut, swapped, garbled plans": (800, lambda chance: mutant(chance, whole=chance.choice(_WHOLE))),
    "CRLF line ends": (200, lambda chance: mutant(chance).replace(b"\n", b"\r\n")),
    "byte order mark": (200, lambda chance: b"\xef\xbb\xbf" + mutant(chance)),
    "binary": (200, _binary),
    "nested deep": (200, _nested),
    "markup that never ends": (80, _endless),
    "5 MB": (20, lambda chance: chance.choice(_WHOLE) * (5_000_000 // 6_000)),
}
"""Kind of damage to how many plans, and how one is made; 10,000 in all."""
