"""What a run takes of the tests that there are: `-k` knows scenarios too, and the end of the run what was taken."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import pytest

from utilities.errors import SuiteError
from utilities.plugin.distribution import CHOSEN, NOTHING, REFUSED, tell

_THERE: pytest.StashKey[list[pytest.Item]] = pytest.StashKey()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let `-k` find a test by the ids of its scenarios."""
    from utilities.plugin.collection import scenarios_of
    from utilities.plugin.run import RUN

    if RUN in item.config.stash:
        item.extra_keyword_matches.update(scenarios_of(item))
        item.config.stash.setdefault(_THERE, []).append(item)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Refuse paths that are not there as any wrong input; xdist would not say a word about them."""
    try:
        return (yield)
    except pytest.UsageError as error:
        if not _refused(session.config, error):
            raise
        return True


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, None, None]:
    """The same with words for `-k` and `-m` that make no sense, before xdist takes all tests for wanted."""
    try:
        yield
    except pytest.UsageError as error:
        items[:] = []
        if not _refused(config, error):
            raise


def _refused(config: pytest.Config, error: pytest.UsageError) -> bool:
    """Say it where the run ends, if it is one of plans."""
    from utilities.plugin.run import RUN

    if RUN not in config.stash:
        return False
    what = "\n".join(map(str, error.args))
    tell(config, REFUSED, [SuiteError(what, next_step="see what there is: pytest tests --collect-only -q").message()])
    return True


def note_chosen(items: Sequence[pytest.Item], config: pytest.Config) -> None:
    """Say which scenarios the run is about; if words left no test, what they are compared with."""
    from utilities.plugin.collection import scenarios_of

    tell(config, CHOSEN, [name for item in items for name in scenarios_of(item)])
    there, words = config.stash.get(_THERE, []), config.option.keyword
    if not items and there and words:
        example = next((f" such as {name}" for item in there for name in scenarios_of(item)), "")
        tell(
            config,
            NOTHING,
            [f"-k {words} chooses none of {len(there)} tests; it looks at names of tests and modules, and ids of "
             f"scenarios{example}"],
        )  # fmt: skip
