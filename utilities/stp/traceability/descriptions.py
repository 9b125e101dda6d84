"""Test descriptions (STD): the docstring of a test as description, sections and plan link.  Source: sheet §4.1."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import cleandoc

SECTIONS = ("Preconditions", "Steps", "Expected", "Markers", "Parametrize")

_HEADING = re.compile(r"(?P<name>[A-Z][A-Za-z]*(?: [A-Za-z]+){0,2}):\s*$")
_LINK = re.compile(r"\bSTP(?: Reference)?:\s*(?P<link>[^\s<>]+)")
_NEGATIVE = re.compile(r"\s*\[NEGATIVE\]\s*")


@dataclass(frozen=True, slots=True)
class Part:
    """A section: its name as written, its lines without indentation, its line in the docstring (1-based)."""

    name: str
    lines: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Description:
    """A docstring read: `text` is what stands before the first section, without the [NEGATIVE] mark."""

    text: str
    negative: bool
    parts: tuple[Part, ...]
    plan_path: str | None

    def part(self, name: str) -> Part | None:
        """The section of that name."""
        return next((part for part in self.parts if part.name == name), None)


def describe(docstring: str) -> Description:
    """Read one docstring; the empty one gives an empty description."""
    lines = cleandoc(docstring).split("\n")
    parts: list[Part] = []
    start, name, head = 0, "", len(lines)
    for number, line in enumerate([*lines, "End:"]):
        match = _HEADING.match(line)
        if match is None or match["name"] == "STP" or match["name"].startswith("STP "):
            continue
        if name:
            parts.append(Part(name, tuple(_entries(lines[start + 1 : number])), start + 1))
        elif number < len(lines):
            head = number
        start, name = number, match["name"]
    text = " ".join(" ".join(lines[:head]).split())
    link = _LINK.search(docstring)
    negative = _NEGATIVE.match(text)
    return Description(
        text[negative.end() :] if negative else text,
        negative is not None,
        tuple(parts),
        link["link"].rstrip(".,;)") if link else None,
    )


def claim_docstring(*docstrings: str) -> Description:
    """The innermost docstring, with the plan link of the first one that has any: test, then class, then module."""
    own, *outer = (describe(docstring) for docstring in docstrings)
    link = next((each.plan_path for each in (own, *outer) if each.plan_path), None)
    return Description(own.text, own.negative, own.parts, link)


def _entries(lines: list[str]) -> Iterator[str]:
    yield from (line.strip() for line in lines if line.strip())
