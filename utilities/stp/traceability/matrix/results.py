"""The verdicts that a run left, for the matrix.

`verdicts.json` in the results folder of a run holds `facts` (name to text), `scenarios` (id to verdict) and `tests`
(objects with `test`, `scenarios`, `verdict`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from utilities.stp.errors import StpError

FILE = "verdicts.json"
_NEXT = f"name the results folder of a finished run, the one that holds {FILE}"


@dataclass(frozen=True, slots=True)
class Results:
    """What came out of one run.  facts: what it was made on; tests: verdict by pytest node id."""

    facts: Mapping[str, str] = field(default_factory=dict)
    scenarios: Mapping[str, str] = field(default_factory=dict)
    tests: Mapping[str, str] = field(default_factory=dict)

    def of_test(self, function: str) -> str | None:
        """The worst verdict of a test's parameter sets, None when none of them ran."""
        mine = [verdict for node, verdict in self.tests.items() if node.partition("[")[0] == function]
        return max(mine, key=_badness, default=None)


_WORST_LAST = ("passed", "excluded", "not run", "quarantined", "blocked", "inconclusive", "broken", "failed")


def _badness(verdict: str) -> int:
    """A word that this program does not know counts as the worst."""
    return _WORST_LAST.index(verdict) if verdict in _WORST_LAST else len(_WORST_LAST)


def read_results(folder: Path) -> Results:
    """The results in a folder.  Raises StpError when there are none, or when they are no such file."""
    file = folder / FILE
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise StpError(f"{file}:1: cannot read: {error.strerror or error}", next_step=_NEXT) from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise StpError(f"{file}:1: no complete JSON: {error}", next_step="wait until the run has ended") from error
    try:
        return _results(document)
    except (KeyError, TypeError, AttributeError) as error:
        raise StpError(f"{file}:1: no verdicts of a run: {error!r}", next_step=_NEXT) from error


def _results(document: Any) -> Results:
    return Results(
        {str(name): str(value) for name, value in document["facts"].items()},
        {str(name): str(value) for name, value in document["scenarios"].items()},
        {str(test["test"]): str(test["verdict"]) for test in document["tests"]},
    )
