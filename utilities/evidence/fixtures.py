"""Set-up and tear-down in the Allure results: an entry for what each fixture did, none for pytest's bookkeeping."""

from __future__ import annotations

from typing import Any

import allure_commons
import pytest


def watch_fixtures(config: pytest.Config) -> None:
    """Tidy what is written until the end of the session."""
    tidy = _Tidy()
    allure_commons.plugin_manager.register(tidy)
    config.add_cleanup(lambda: allure_commons.plugin_manager.unregister(tidy))


def _tidied(_: _Tidy, container: Any) -> None:
    """allure-pytest lists every finalizer of a fixture, as `fixture::number` or `fixture::<lambda>`."""
    container.afters = [after for after in container.afters if _tells(after)]
    for after in container.afters:
        after.name = after.name.partition("::")[0]


class _Tidy:
    report_container: Any = allure_commons.hookimpl(tryfirst=True)(_tidied)


def _tells(after: Any) -> bool:
    """Whether it is the fixture's own tear-down, or something happened in it all the same."""
    return not after.name.endswith("::<lambda>") or bool(after.steps) or after.status not in (None, "passed")
