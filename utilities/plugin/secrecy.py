"""The side doors, cleaned as evidence is: log records, pytest's reports with their tracebacks, and Allure's results."""

from __future__ import annotations

import dataclasses
import logging
import traceback
from collections.abc import Callable, Generator
from typing import Any

import allure_commons
import pluggy
import pytest

from utilities.evidence.redaction import redact_text

_allure = pluggy.HookimplMarker("allure")


def install(config: pytest.Config) -> None:
    """Keep secrets in until the end of the session."""
    usual = logging.getLogRecordFactory()
    logging.setLogRecordFactory(_clean_records(usual))
    config.add_cleanup(lambda: logging.setLogRecordFactory(usual))
    config.pluginmanager.register(_CleanReports(), "clean-reports")
    results = _CleanResults()
    allure_commons.plugin_manager.register(results)
    config.add_cleanup(lambda: allure_commons.plugin_manager.unregister(results))


def _clean_records(usual: Callable[..., logging.LogRecord]) -> Callable[..., logging.LogRecord]:
    """Records of every logger, those of libraries included, whatever handler prints or captures them."""

    def make(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = usual(*args, **kwargs)
        try:
            record.msg, record.args = redact_text(record.getMessage()), None
        except (TypeError, ValueError):
            return record  # arguments that do not fit the text: the handler will complain, and print neither
        if record.exc_info:
            record.exc_text = redact_text("".join(traceback.format_exception(*record.exc_info)).rstrip())
        return record

    return make


class _CleanReports:
    """Innermost around the making of a report, so that everybody who looks at it sees the clean one."""

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        report.longrepr = clean(report.longrepr)
        report.sections = clean(report.sections)
        return report


class _CleanResults:
    """Allure takes messages from the exceptions themselves: cleaned when a result is about to be written."""

    @_allure(tryfirst=True)
    def report_result(self, result: object) -> None:
        clean(result)

    @_allure(tryfirst=True)
    def report_container(self, container: object) -> None:
        clean(container)


def clean(value: Any) -> Any:
    """The value with its texts redacted: a new text, list or tuple; dataclasses and attrs classes are changed in place.

    Lines are cleaned together, because a key spans several.
    """
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return redact_text("\n".join(value)).split("\n")
    if isinstance(value, (list, tuple)):
        return type(value)(clean(item) for item in value)
    for field in _fields(value):
        setattr(value, field.name, clean(getattr(value, field.name)))
    return value


def _fields(value: object) -> tuple[Any, ...]:
    """Of a dataclass (pytest's) or an attrs class (Allure's); anything else has none."""
    if dataclasses.is_dataclass(value):
        return dataclasses.fields(value)
    return getattr(type(value), "__attrs_attrs__", ())
