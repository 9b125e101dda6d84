"""xdist: how tests are spread over workers, and how what a worker has to say reaches whoever started the run."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import pytest

from utilities.plugin.options import runs_plans

REFUSED = "plans_refused"
"""Why the run cannot begin."""
PLANNED = "plans_changes"
"""What a dry run would have changed."""
LEFT = "plans_left"
"""What tests left behind on the site."""
TAKEN_BACK = "plans_taken_back"
"""What was found changed by runs that are gone, and what has become of it."""
CHOSEN = "plans_chosen"
"""Ids of the scenarios that the run is about."""
NOTHING = "plans_nothing"
"""Why the run has no test."""
_TOLD: pytest.StashKey[dict[str, dict[str, None]]] = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    """Before xdist decides: tests of a module share its fixtures, so they stay together; a dry run needs no workers."""
    option = config.option
    if getattr(option, "numprocesses", None) and runs_plans(config):
        if option.dry_run:
            option.numprocesses = 0
        elif option.dist == "no":
            option.dist = "loadscope"
    return (yield)


def is_worker(config: pytest.Config) -> bool:
    """Whether this process runs tests for another one."""
    return hasattr(config, "workerinput")


def tell(config: pytest.Config, what: str, lines: Iterable[str]) -> None:
    """Say something where the run ends: in this process, or in the one that this is a worker of."""
    if is_worker(config):
        vars(config)["workeroutput"][what] = list(lines)
    else:
        config.stash.setdefault(_TOLD, {}).setdefault(what, {}).update(dict.fromkeys(lines))


def told(config: pytest.Config, what: str) -> tuple[str, ...]:
    """What was said by all processes, each line once."""
    return tuple(config.stash.get(_TOLD, {}).get(what, ()))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Listen to a worker that has ended; one that crashed says nothing."""
    for what in (REFUSED, LEFT, TAKEN_BACK, CHOSEN, NOTHING):
        tell(node.config, what, getattr(node, "workeroutput", {}).get(what, ()))
