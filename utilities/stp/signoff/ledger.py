"""The run's own list of what ran (`verdicts.json`), by which a result that was taken away or put in is noticed."""

from pydantic import BaseModel, ConfigDict

from utilities.stp.signoff.outcome import Outcome, worst
from utilities.stp.signoff.results import Entry, key_of


class _Test(BaseModel):
    model_config = ConfigDict(extra="ignore")

    test: str
    scenarios: tuple[str, ...]
    verdict: Outcome


class _Ledger(BaseModel):
    model_config = ConfigDict(extra="ignore")

    tests: tuple[_Test, ...]


def read_ledger(raw: bytes) -> tuple[Entry, ...]:
    """The tests in order, each once with its worst verdict.  Raises pydantic's ValidationError."""
    found: dict[str, list[_Test]] = {}
    for test in _Ledger.model_validate_json(raw).tests:
        found.setdefault(key_of(test.test), []).append(test)
    return tuple(
        Entry(key, tests[0].test, tests[0].scenarios, worst(test.verdict for test in tests))
        for key, tests in found.items()
    )
