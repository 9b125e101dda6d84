"""The results of runs as data.  Nothing here reads a file or judges."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from utilities.stp.signoff.facts import Facts
from utilities.stp.signoff.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Evidence:
    """A file that a test left; `path` is None when it is not there any more."""

    name: str
    path: Path | None


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a test: its kind (issue, tms, link), what it shows, and its http address ("" for any other)."""

    kind: str
    name: str
    url: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One result: one test with one parameter set, run once.

    test: as pytest names it, with its parameter set; key: the same in Allure's spelling, for comparing;
    started, ended: milliseconds since the epoch, 0 when not recorded; figures: what was measured, name and value;
    file: the result's own file.
    """

    test: str
    key: str
    scenarios: tuple[str, ...]
    features: tuple[str, ...]
    tags: tuple[str, ...]
    severity: str
    outcome: Outcome
    message: str
    started: int
    ended: int
    evidence: tuple[Evidence, ...]
    figures: tuple[tuple[str, str], ...]
    links: tuple[Link, ...]
    file: Path

    @property
    def function(self) -> str:
        """The key without its parameter set."""
        return function_of(self.key)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the run's own list: the test (a key as above), its scenarios, its worst verdict."""

    key: str
    test: str
    scenarios: tuple[str, ...]
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Run:
    """A folder of results.

    ledger: the run's own list of what ran, None when it left none; troubles: what is wrong with the files, in words;
    digest: SHA-256 of all files that were read.
    """

    folder: Path
    facts: Facts
    attempts: tuple[Attempt, ...]
    ledger: tuple[Entry, ...] | None
    troubles: tuple[str, ...]
    digest: str


def key_of(node: str) -> str:
    """`tests/a/test_b.py::TestC::test_d[x]` as Allure spells it: `tests.a.test_b.TestC#test_d[x]`."""
    path, *rest = node.partition("[")[0].split("::")
    parts = [path.removesuffix(".py").replace("/", "."), *rest[:-1]]
    return f"{'.'.join(parts)}#{rest[-1] if rest else ''}{parameters_of(node)}"


def function_of(key: str) -> str:
    """A node id or key without its parameter set."""
    return key.partition("[")[0]


def parameters_of(key: str) -> str:
    """The parameter set of a node id or key, in its brackets; "" when it has none."""
    head, bracket, tail = key.partition("[")
    return bracket + tail if head else ""


def attempts_of(runs: Iterable[Run]) -> tuple[Attempt, ...]:
    """All results of all runs, by test and time."""
    everything = (attempt for run in runs for attempt in run.attempts)
    return tuple(sorted(everything, key=lambda attempt: (attempt.key, attempt.started, attempt.file.name)))
