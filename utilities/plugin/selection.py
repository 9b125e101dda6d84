"""What a run takes of the tests that there are: `-k` knows scenarios too, and the end of the run what was taken."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from utilities.plugin.distribution import CHOSEN, NOTHING, tell

_THERE: pytest.StashKey[list[pytest.Item]] = pytest.StashKey()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let `-k` find a test by the ids of its scenarios."""
    from utilities.plugin.collection import scenarios_of
    from utilities.plugin.run import RUN

    if RUN in item.config.stash:
        item.extra_keyword_matches.update(scenarios_of(item))
        item.config.stash.setdefault(_THERE, []).append(item)


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
