"""Other plugins that are installed where the suite is developed, and what plans do not need of them."""

from __future__ import annotations

import sys

import pytest


def forget_hypothesis(config: pytest.Config) -> None:
    """Keep its plugin from importing all of it for the summary of a run that has used none of it (2 s of a core)."""
    manager = config.pluginmanager
    if "hypothesis" not in sys.modules and manager.has_plugin("hypothesispytest"):
        manager.unregister(name="hypothesispytest")
