"""Where evidence goes: into Allure, and as files beside the run's report."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import allure
import yaml

from utilities.evidence.redaction import redact, redact_text

_TYPES = {"svg": "image/svg+xml", "txt": "text/plain", "json": "application/json", "yaml": "application/yaml"}


@dataclass(frozen=True, slots=True)
class Piece:
    """One attached file; `path` is relative to the run's results folder."""

    title: str
    path: str
    media_type: str


class Subject(Protocol):
    """Something that was watched and can show what happened to it."""

    def attach_to(self, sink: Sink, *, failed: bool) -> None:
        """Attach it; more of it when the test failed. Raises SuiteError when the evidence is incomplete."""
        ...


@dataclass(slots=True)
class _Open:
    """The test whose evidence is being collected."""

    test: str
    subjects: list[Subject] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    figures: list[tuple[str, str]] = field(default_factory=list)


class Sink:
    """Collects evidence of one test at a time and writes it below `directory`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._open: _Open | None = None

    def begin(self, test: str) -> None:
        """Everything from now on belongs to this test (its pytest node id)."""
        self._open = _Open(test)

    def about(self, subject: Subject) -> None:
        """Let it be attached when this part of the test, its setup or its body, is over."""
        if self._open is not None:
            self._open.subjects.append(subject)

    def take_subjects(self) -> list[Subject]:
        """Those named since the last call."""
        if self._open is None:
            return []
        taken, self._open.subjects = self._open.subjects, []
        return taken

    def end(self) -> tuple[tuple[Piece, ...], tuple[tuple[str, str], ...]]:
        """What the test left: files and figures."""
        closed, self._open = self._open, None
        return (tuple(closed.pieces), tuple(closed.figures)) if closed else ((), ())

    def picture(self, title: str, svg: str) -> None:
        """Attach an SVG picture."""
        self._attach(title, redact_text(svg), "svg")

    def text(self, title: str, text: str) -> None:
        """Attach plain text."""
        self._attach(title, redact_text(text), "txt")

    def objects(self, title: str, value: Any) -> None:
        """Attach API objects as YAML, without secrets and without managedFields."""
        self._attach(title, yaml.safe_dump(_bare(redact(value)), sort_keys=False, allow_unicode=True), "yaml")

    def data(self, title: str, value: Any) -> None:
        """Attach data as JSON, without secrets."""
        self._attach(title, json.dumps(redact(value), indent=1, default=str), "json")

    def figure(self, name: str, value: str) -> None:
        """A measured value worth a line in the report, such as `guest-observed downtime`, `0.8 s`."""
        if self._open is not None:
            self._open.figures.append((name, value))
            allure.dynamic.parameter(name, value, excluded=True)

    def _attach(self, title: str, content: str, extension: str) -> None:
        if self._open is None:
            return
        allure.attach(content, name=title, attachment_type=_TYPES[extension], extension=extension)
        folder = Path("evidence") / _slug(self._open.test)
        (self._directory / folder).mkdir(parents=True, exist_ok=True)
        path = folder / f"{len(self._open.pieces) + 1:02d}-{_slug(title)}.{extension}"
        (self._directory / path).write_text(content, encoding="utf-8")
        self._open.pieces.append(Piece(title, str(path), _TYPES[extension]))


def _bare(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _bare(item) for key, item in value.items() if key != "managedFields"}
    if isinstance(value, list):
        return [_bare(item) for item in value]
    return value


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text.removeprefix("tests/")).strip("-")[:120]
