"""Runs of the suite, and labs started by hand, as processes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE = 300  # wall seconds for a whole plan on a busy machine


@dataclass(frozen=True)
class Ended:
    """A run that is over. shown: its standard output, then its standard error."""

    status: int
    shown: str
    results: Path

    @property
    def told(self) -> dict:
        """What it left as `verdicts.json`."""
        return json.loads((self.results / "verdicts.json").read_text())

    @property
    def verdicts(self) -> dict[str, str]:
        """By scenario, of those that were run."""
        return {name: verdict for name, verdict in self.told["scenarios"].items() if verdict != "not run"}


def run_plans(results: Path, *arguments: str, tests: tuple[str, ...] = ("tests",), root: Path = ROOT) -> Ended:
    """`pytest tests ...` in a tree, with nothing of this process' environment that could matter.

    Compiled modules are kept, as they are for a user: compiling them takes longer than most of these runs.
    """
    options = ("-p", "no:cacheprovider", "--results", str(results), *arguments)
    return run_module("pytest", *tests, *options, results=results, root=root)


def run_module(name: str, *arguments: str, results: Path = ROOT, root: Path = ROOT) -> Ended:
    """`python -m name ...` in a tree, in the same way."""
    command = [sys.executable, "-m", name, *arguments]
    own = ("PYTEST", "OPENSHIFT", "KUBE", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    done = subprocess.run(
        command,
        cwd=root,
        env=kept | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return Ended(done.returncode, done.stdout + done.stderr, results)


@contextmanager
def standing_lab(directory: Path, *arguments: str) -> Iterator[Path]:
    """A lab as `python -m lab up` starts it; yields the path of its site file."""
    command = [sys.executable, "-m", "lab", "up", "--until-stdin-closes", "--directory", str(directory), *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as lab:
        try:
            ready = next(line for line in lab.stdout if line.startswith("site: "))
            yield Path(ready.removeprefix("site: ").strip())
        finally:
            lab.stdin.close()
