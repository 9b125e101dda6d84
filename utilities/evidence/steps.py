"""Steps of a test: what was done to what, nested as it was done, with what it took; shown in the Allure results.

A step is open while its `with` block runs, so never put a fixture's `yield` into one: it would last until teardown.
Where no results are written (a unit test, a benchmark) a step does nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from types import TracebackType
from typing import Any, Self

from allure_commons import plugin_manager
from allure_commons.model2 import Parameter
from allure_commons.utils import uuid4

from utilities.errors import ApiError
from utilities.evidence.redaction import redact, redact_text
from utilities.history import Obj, dig, newest_stamp

LONGEST = 400
"""Characters of a value; a step is read at a glance, objects belong into attachments."""
PRODUCT_TIME = "product time"


class Step:
    """One open step."""

    def __init__(self, title: str, answers: tuple[type[BaseException], ...], parameters: Mapping[str, object]) -> None:
        self._title, self._answers, self._parameters = title, answers, parameters
        self._uuid: str = uuid4()

    def __enter__(self) -> Self:
        plugin_manager.hook.start_step(uuid=self._uuid, title=self._title, params=_shown(self._parameters))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, self._answers):
            self.note("answer", (isinstance(error, ApiError) and error.server_message) or str(error))
            kind = error = trace = None
        plugin_manager.hook.stop_step(uuid=self._uuid, exc_type=kind, exc_val=error, exc_tb=trace)

    def note(self, name: str, value: object) -> None:
        """Something that is only known once the step has been made; None says nothing."""
        for plugin in plugin_manager.get_plugins():
            reporter = getattr(plugin, "allure_logger", None)
            shown = reporter.get_item(self._uuid) if reporter is not None else None
            if shown is not None:
                shown.parameters.extend(Parameter(name=key, value=text) for key, text in _shown({name: value}).items())

    def took(self, product_seconds: float) -> None:
        """How long it took on the cluster's own clock, where objects tell (1 s resolution)."""
        self.note(PRODUCT_TIME, f"{product_seconds:g} s")

    def took_between(self, before: Obj | None, after: Obj | None) -> None:
        """How long it took from one state of the cluster to a later one, if both tell when they were written."""
        begin, end = (newest_stamp(obj) if obj else None for obj in (before, after))
        if begin is not None and end is not None:
            self.took(max(0.0, end - begin))

    def took_since_creation(self, obj: Obj | None) -> None:
        """How long it took from the creation of an object to the state it is in now, if it tells."""
        self.took_between({"metadata": {"creationTimestamp": dig(obj, "metadata", "creationTimestamp")}}, obj)


def step(title: str, /, *, answers: tuple[type[BaseException], ...] = (), **parameters: object) -> Step:
    """A step to be entered: a verb and its object, with parameters (None: left out; secrets are removed).

    answers: errors that are an answer of the product rather than a failure of the step, such as the refusal of a
    request: noted, raised, and not shown in red. The test judges them.
    """
    return Step(title, answers, parameters)


def _shown(parameters: Mapping[str, object]) -> dict[str, str]:
    shown = {name.replace("_", " "): value for name, value in redact(parameters).items() if value is not None}
    return {name: _shortened(redact_text(_text(value))) for name, value in shown.items()}


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={_text(item)}" for key, item in value.items()) or "none"
    if isinstance(value, Set):
        value = sorted(value)
    if isinstance(value, list | tuple):
        return ", ".join(_text(item) for item in value) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
