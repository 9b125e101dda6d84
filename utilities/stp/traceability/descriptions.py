"""Test descriptions (STD): the docstring of a test as description, sections and plan link.  Source: sheet §4.1."""

import re
from dataclasses import dataclass
from inspect import cleandoc

SECTIONS = ("Preconditions", "Steps", "Expected", "Markers", "Parametrize")

_HEADING = re.compile(r"(?P<name>[A-Z][A-Za-z]*(?: [A-Za-z]+){0,2}):\s*$")
_LINK = re.compile(r"\bSTP(?: Reference)?:\s*(?P<link>[^\s<>]+)")
_ENTRY = re.compile(r"[-*]\s|\d+[.)]\s")
_NEGATIVE = re.compile(r"\s*\[NEGATIVE\]\s*")


@dataclass(frozen=True, slots=True)
class Part:
    """A section: its name as written, the rows below it, its line in the docstring (1-based)."""

    name: str
    rows: tuple[str, ...]
    line: int

    @property
    def lines(self) -> tuple[str, ...]:
        """The rows that show anything, without indentation."""
        return tuple(row.strip() for row in self.rows if row.strip())

    @property
    def entries(self) -> tuple[str, ...]:
        """The bullets or steps on the outermost level, each with its wrapped lines and what is nested below."""
        written = [row for row in self.rows if row.strip()]
        outermost = min((len(row) - len(row.lstrip()) for row in written), default=0)
        found: list[str] = []
        for row in written:
            text = row.strip()
            starts = len(row) - len(row.lstrip()) == outermost and _ENTRY.match(text) is not None
            if starts or not found:
                found.append(text)
            else:
                found[-1] = f"{found[-1]} {text}"
        return tuple(found)


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
            parts.append(Part(name, tuple(lines[start + 1 : number]), start + 1))
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
