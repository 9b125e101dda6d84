"""The plans on the lab once, in a process of its own: how one way to break it, or one seed, turns out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RED = frozenset({"failed", "broken"})
"""Verdicts that say: something is wrong. Blocked, inconclusive and not run say nothing."""
WITHIN = 600.0
"""Wall seconds after which a run counts as hanging; a healthy one takes less than one on two idle cores."""


class PlanRunError(Exception):
    """A run that left no verdicts; the message ends with what it printed last."""


@dataclass(frozen=True, slots=True)
class PlanRun:
    """What came out: verdict words and reasons by scenario id, excluded scenarios left out.

    seconds: wall time. leftovers: objects that were there at the end and not before; None: nobody looked.
    """

    verdicts: Mapping[str, str]
    reasons: Mapping[str, str]
    seconds: float = 0.0
    leftovers: tuple[str, ...] | None = None

    @property
    def red(self) -> frozenset[str]:
        """Scenarios that failed or broke."""
        return frozenset(name for name, verdict in self.verdicts.items() if verdict in RED)

    @property
    def not_green(self) -> frozenset[str]:
        """Scenarios that did not pass, for whatever reason."""
        return frozenset(name for name, verdict in self.verdicts.items() if verdict != "passed")


def run_plans(results: Path, *options: str, tests: Sequence[str] = ("tests",), within: float = WITHIN) -> PlanRun:
    """Run the plans with these options of pytest, and read the verdicts they leave in `results`.

    tests: paths below the project's root, such as the package of one plan. Raises PlanRunError when they leave none or
    take longer than `within` wall seconds.
    """
    command = [sys.executable, "-m", "pytest", *tests, "-n", "2", "--dist", "loadscope", "--results", str(results)]
    results.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    output = _output(command + list(options), results / "pytest.log", within)
    seconds = time.monotonic() - started
    verdicts = results / "verdicts.json"
    if not verdicts.is_file():
        raise PlanRunError(f"pytest {' '.join(options)} left no verdicts; it ended with:\n{output}")
    return read(json.loads(verdicts.read_text(encoding="utf-8")), seconds)


def read(written: Mapping[str, Any], seconds: float = 0.0) -> PlanRun:
    """What `verdicts.json` says."""
    verdicts = {name: verdict for name, verdict in written["scenarios"].items() if verdict != "excluded"}
    reasons: dict[str, str] = {}
    for test in written["tests"]:
        for name in test["scenarios"]:
            if test["reason"] and test["verdict"] == verdicts.get(name):
                reasons.setdefault(name, f"{test['test'].rpartition('/')[2]}: {test['reason']}")
    leftovers = written.get("left")
    return PlanRun(verdicts, reasons, seconds, None if leftovers is None else tuple(map(str, leftovers)))


def _output(command: Sequence[str], log: Path, within: float) -> str:
    """Run it to its end; returns the end of what it printed. Its workers and labs end when it does."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    with log.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT)
        try:
            process.wait(timeout=within)
        except subprocess.TimeoutExpired as error:
            raise PlanRunError(f"not over after {within:g} s; it printed {log}") from error
        finally:
            process.kill()
            process.wait()
    return "\n".join(log.read_text(encoding="utf-8").splitlines()[-20:])
