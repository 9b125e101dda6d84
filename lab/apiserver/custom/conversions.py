"""Conversions between the versions of a custom resource that differ in more than their apiVersion (sheet §5.1).

Real definitions name a webhook for this. The lab ignores webhooks, and takes Python functions instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from lab.apiserver.resources import Convert


class Conversions:
    """Functions by definition name (`plural.group`) and the two versions."""

    def __init__(self) -> None:
        self._functions: dict[tuple[str, str, str], Convert] = {}

    def register(self, definition: str, version: str, to: str, convert: Convert) -> None:
        """Use `convert` for objects of `version` that are wanted in version `to`. It gets and returns whole objects."""
        self._functions[definition, version, to] = convert

    def known(self, definition: str) -> bool:
        """True when versions of this definition differ in more than their apiVersion."""
        return any(name == definition for name, _, _ in self._functions)

    def into(self, definition: str, group: str, version: str) -> Convert:
        """A function that takes an object of any version into this one."""
        return partial(self._convert, definition, group, version)

    def _convert(self, definition: str, group: str, version: str, obj: Mapping[str, object]) -> dict[str, object]:
        present = str(obj["apiVersion"]).rpartition("/")[2]
        convert = self._functions.get((definition, present, version))
        converted = dict(obj) if convert is None else convert(obj)
        return {**converted, "apiVersion": f"{group}/{version}"}
