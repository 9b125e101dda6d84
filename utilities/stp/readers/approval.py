"""Section IV: who reviews and who approves."""

import re
from collections.abc import Iterator, Sequence

from utilities.stp.blocks import Item, ItemList, Label
from utilities.stp.plan import Approval, Person, Section, Signatories
from utilities.stp.text import DASHES, Text
from utilities.stp.values import has_placeholder
from utilities.stp.vocabulary import APPROVERS, REVIEWERS, label_name

_HANDLE = re.compile(r"(?<![\w.])@[A-Za-z0-9](?:[\w-]*[\w])?")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PROFILE = re.compile(r"https?://(?:www\.)?github\.com/([\w-]+)/?")
_BRACKETS = str.maketrans("[](){}/`*<>", " " * 11)
_ROLE = re.compile(
    r"(?:\b(?:qe|pm|ux|dev|developer|development|product|sig|principal|architect|lead|manager|owner|member|members"
    r"|representative|engineer|docs|documentation|team)\b|[\s/()&,-]|s\b|sig-\w+)+",
    re.IGNORECASE,
)


def read_approval(section: Section) -> Approval:
    """Both lists; their names may stand as list items or as bold lines."""
    lines: dict[str, int] = {}
    items: dict[str, list[Item]] = {REVIEWERS: [], APPROVERS: []}
    current: str | None = None
    for block in section.blocks:
        if isinstance(block, Label):
            current = block.name if block.name in items else None
            if current is not None:
                lines.setdefault(current, block.line)
        elif isinstance(block, ItemList):
            for item in block.items:
                lead = item.text.lead
                name = label_name(lead[0].flat.rstrip(":")) if lead is not None else None
                if name in items and name is not None:
                    lines.setdefault(name, item.line)
                    items[name] += item.items
                    current = None
                elif current is not None:
                    items[current].append(item)
    found = {name: _signatories(lines[name], items[name]) for name in lines}
    return Approval(section.line, found.get(REVIEWERS), found.get(APPROVERS))


def read_people(text: Text) -> tuple[str, tuple[Person, ...]]:
    """(role, people) of one line; several people are separated by commas, several handles may share one role."""
    flat = _with_addresses(text)
    role = ""
    colon = flat.find(":")
    if colon > 0 and flat[colon : colon + 3] != "://":
        role, flat = flat[:colon].strip(), flat[colon + 1 :].strip()
    head, slash, tail = flat.partition("/")
    if not role and slash and _ROLE.fullmatch(head.strip()):
        role, flat = head.strip(), tail.strip()
    people = [_person(role, part, text.line) for part in _people_of(flat)]
    return role, tuple(people)


def _signatories(line: int, items: Sequence[Item]) -> Signatories:
    people: list[Person] = []
    roles: list[str] = []
    for item in items:
        role, named = read_people(item.content)
        if role:
            roles.append(role)
        if not has_placeholder(item.content):
            people += named
    return Signatories(line, tuple(people), tuple(roles), bool(items))


def _with_addresses(text: Text) -> str:
    """The line with the address of every link behind its text, profile pages as handles."""
    parts: list[str] = []
    for span in text.spans:
        parts.append(span.text)
        if span.href is not None:
            profile = _PROFILE.fullmatch(span.href)
            parts.append(f" (@{profile[1]})" if profile else f" ({span.href.removeprefix('mailto:')})")
    return " ".join("".join(parts).split())


def _people_of(flat: str) -> Iterator[str]:
    """Parts between commas, commas in parentheses excepted."""
    yield from (part for part in re.split(r",(?![^(]*\))", flat) if part.strip())


def _person(role: str, part: str, line: int) -> Person:
    mail = _MAIL.search(part)
    rest = _MAIL.sub(" ", part)
    handles = tuple(match[0] for match in _HANDLE.finditer(rest))
    plain = _HANDLE.sub(" ", rest).translate(_BRACKETS)
    name = " ".join(plain.split()).strip(f" {DASHES}.")
    same = {handle.removeprefix("@").lower() for handle in handles}
    return Person(role, "" if name.lower() in same else name, handles, mail[0] if mail else "", line)
