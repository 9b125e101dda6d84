"""Turns on a cluster that others use too: a module's tests share what the cluster has one of, or have it alone.

The modules of a plan's package share the part of the cluster that the package names as `SHARES` (default: the
package's own name). A module with a test marked `exclusive` has that part alone, from its first test to its last: its
fixtures live that long.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from utilities.plugin.sites import SITE
from utilities.sharing.holders import Mode

if TYPE_CHECKING:
    from utilities.sharing.session import Sharing


def part_of(item: pytest.Item) -> str:
    """The part of the cluster that a test's module depends on."""
    package = str(getattr(getattr(item, "module", None), "__package__", ""))
    default = package.rpartition(".")[2].replace("_", "-")
    return str(getattr(sys.modules.get(package), "SHARES", default))


def mode_of(item: pytest.Item) -> Mode:
    """How a test's module depends on it; all its selected tests count."""
    neighbours = [other for other in item.session.items if other.path == item.path]
    alone = any(other.get_closest_marker("exclusive") for other in neighbours)
    return Mode.EXCLUSIVE if alone else Mode.SHARED


def _sharing(item: pytest.Item) -> Sharing | None:
    opened = item.config.stash.get(SITE, None)
    return opened.sharing if opened is not None else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Wait for our turn."""
    sharing = _sharing(item)
    if sharing is not None and sharing.take_turn(part_of(item), mode_of(item)):
        item.config.stash[SITE].recount()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """End our turn with the module; a test whose turn was lost proves nothing."""
    try:
        yield
    finally:
        sharing = _sharing(item)
        if sharing is not None:
            try:
                sharing.assure()
            finally:
                if nextitem is None or nextitem.path != item.path:
                    sharing.end_turn()
