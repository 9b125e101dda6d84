"""What was watched during a test is attached to it: of its fixtures, and of what it opened itself."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING

import pytest

from utilities.errors import SuiteError
from utilities.plugin.verdicts import KNOWN_ISSUE

if TYPE_CHECKING:
    from utilities.evidence.sink import Sink


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Open the test's evidence; a setup that fails leaves what it has seen."""
    sink = _sink(item)
    if sink is None:
        return (yield)
    sink.begin(item.nodeid)
    for mark in item.iter_markers("known_issue"):
        sink.figure(KNOWN_ISSUE, " ".join(map(str, mark.args)))
    try:
        yield
    except BaseException:
        _attach(sink, sink.take_subjects(), failed=True)
        raise
    sink.take_subjects()  # fixtures hand them to the test
    return None


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Inside the call, so that evidence which cannot be made is an error of this test and of no other."""
    sink = _sink(item)
    if sink is None:
        return (yield)
    failed = True
    try:
        yield
        failed = False
    finally:
        _attach(sink, [*getattr(item, "funcargs", {}).values(), *sink.take_subjects()], failed=failed)
    return None


def _sink(item: pytest.Item) -> Sink | None:
    from utilities.plugin.run import RUN

    run = item.config.stash.get(RUN, None)
    return run.sink if run is not None else None


def _attach(sink: Sink, candidates: Iterable[object], *, failed: bool) -> None:
    """Each that has evidence to show, once."""
    for candidate in {id(candidate): candidate for candidate in candidates}.values():
        attach = getattr(candidate, "attach_to", None)
        if attach is not None:
            try:
                attach(sink, failed=failed)
            except SuiteError as error:
                sink.text("evidence is incomplete", error.message())
