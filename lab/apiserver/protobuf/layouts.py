"""Which field number is which JSON field, for the kinds clients send (`fields.json`, Kubernetes 1.36)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import orjson


@dataclass(frozen=True, slots=True)
class Layout:
    """One field: JSON name, type, and how Go's JSON treats it."""

    name: str
    type: str  # a scalar or the name of a message
    repeated: bool
    mapped: bool  # map<string, type>
    pointer: bool  # presence is meaningful: zero values stay
    omitempty: bool
    inline: bool  # fields of the message belong to the parent


class Layouts:
    """All messages, and the message of each kind."""

    def __init__(self, document: dict[str, dict[str, dict[str, list[str]]]], packages: dict[str, str]) -> None:
        self._packages = packages
        self._messages = {
            name: {int(number): _layout(*parts) for number, parts in fields.items()}
            for name, fields in document["messages"].items()
        }

    def root(self, api_version: str, kind: str) -> str | None:
        """The message of a kind, None if it is not known. DeleteOptions come with any group's apiVersion."""
        if kind == "DeleteOptions":
            return "meta.DeleteOptions"
        name = f"{self._packages.get(api_version, '')}.{kind}"
        return name if name in self._messages else None

    def message(self, name: str) -> dict[int, Layout]:
        """Field layouts of a message by number."""
        return self._messages[name]


@cache
def layouts() -> Layouts:
    """The layouts shipped with the lab, read once."""
    document = orjson.loads(files("lab.apiserver.protobuf").joinpath("fields.json").read_bytes())
    return Layouts(document, document["packages"])


def _layout(name: str, type_: str, flags: str = "") -> Layout:
    repeated, mapped = type_.startswith("[]"), type_.startswith("map:")
    bare = type_.removeprefix("[]").removeprefix("map:")
    return Layout(name, bare, repeated, mapped, "*" in flags, "o" in flags, "i" in flags)
