"""Headings to sections, whatever bold, dashes, numbers and double blanks they carry."""

import re
from collections.abc import Sequence

from utilities.stp.blocks import Block, Heading
from utilities.stp.plan import Section
from utilities.stp.vocabulary import Part, words

_NUMBER = re.compile(r"\s*(?P<number>\d+(?:\.\d+)*|[IVX]+)\.(?=\s|$|[A-Z*])\s*|\s*(?P<bare>\d+(?:\.\d+)+)\s+")
_DEEPEST_PART = 4


def sections_of(blocks: Sequence[Block]) -> tuple[Section, ...]:
    """Cut at headings.  Headings below III that the template does not know are groups and stay inside it."""
    sections: list[Section] = []
    heading: Heading | None = None
    part: Part | None = None
    above: Part | None = None
    upper: Part | None = None
    body: list[Block] = []
    seen: set[Part] = set()

    def close() -> None:
        if heading is not None:
            number, title = numbered(heading.text.flat)
            sections.append(Section(part, heading.line, heading.level, number, title, above, tuple(body)))

    for block in blocks:
        if not isinstance(block, Heading):
            body.append(block)
            continue
        found = part_of(block, seen)
        inside_scenarios = upper is Part.SCENARIOS and block.level >= _DEEPEST_PART
        if found is None and (inside_scenarios or block.level > _DEEPEST_PART):
            body.append(block)
            continue
        close()
        heading, part, body = block, found, []
        level = found.level if found is not None else block.level
        above = upper if level >= _DEEPEST_PART else None
        if found is not None:
            seen.add(found)
        if level < _DEEPEST_PART:
            upper = found
    close()
    return tuple(sections)


def numbered(title: str) -> tuple[str, str]:
    """('3.1', 'Testing Tools & Frameworks') of a heading's text."""
    title = title.strip("* ")
    match = _NUMBER.match(title)
    if match is None:
        return "", title
    return match["number"] or match["bare"], title[match.end() :].strip("* ")


def part_of(heading: Heading, seen: set[Part]) -> Part | None:
    """The template's part a heading means: exact words first, then the words that identify it."""
    _, title = numbered(heading.text.flat)
    plain = words(title)
    for part in Part:
        if part.level > 2 and words(part.title) == plain:
            return part
    if heading.level == 1 and Part.DOCUMENT not in seen:
        return Part.DOCUMENT
    if heading.level == 2 and Part.PLAN not in seen:
        return Part.PLAN
    if heading.level <= 2:
        return None
    return next((part for part in Part if any(key in plain for key in part.keys)), None)
