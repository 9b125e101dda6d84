"""Fixtures of plans about Cortex; a plan's conftest imports those that it uses."""

from __future__ import annotations

import pytest

from utilities.cortex.cortex import Cortex
from utilities.plugin.sites import SITE


@pytest.fixture(scope="session")
def cortex(request: pytest.FixtureRequest) -> Cortex:
    """The site's Cortex; tests that use it are blocked on a site without one."""
    return request.config.stash[SITE].cortex
