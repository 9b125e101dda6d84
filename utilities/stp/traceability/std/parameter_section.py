"""The section `Parametrize:` of a docstring.

- volume_mode: [block, file]
- ip_family:
    - ipv4 [Markers: ipv4]
"""

import re
from collections.abc import Iterator, Mapping

from utilities.stp.traceability.cases import Case
from utilities.stp.traceability.descriptions import Part

_HEAD = re.compile(r"[-*]\s*(?P<name>[A-Za-z_]\w*(?:\s*,\s*\w+)*)\s*:\s*(?P<values>.*)")
_INLINE = re.compile(r"\s*\[Markers?:\s*(?P<marks>[^\]]*)\]")


def announced(part: Part) -> Mapping[str, tuple[str, ...]]:
    """The values that a section announces for each name; () when it lists none."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in part.lines:
        head = _HEAD.fullmatch(line)
        if head is not None:
            name = head["name"]
            listed = _INLINE.sub("", head["values"]).strip()
            found[name] = _values(listed)
        elif name and line[:1] in "-*":
            found[name].append(_value(line[1:]))
    return {name: tuple(value for value in values if value) for name, values in found.items()}


def inline_markers(case: Case) -> Iterator[tuple[str, str]]:
    """(value, mark) of every `- value [Markers: mark]`."""
    for docstring in case.docstrings:
        part = docstring.description.part("Parametrize")
        for line in part.lines if part else ():
            match = _INLINE.search(line)
            if match is not None and _HEAD.fullmatch(line) is None:
                for name in match["marks"].split(","):
                    yield _value(line[1:]), name.strip()


def _values(listed: str) -> list[str]:
    return [_value(value) for value in listed.strip("[](){}").split(",")] if listed else []


def _value(written: str) -> str:
    return _INLINE.sub("", written).strip().strip("\"'`")
