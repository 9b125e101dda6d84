"""Section III: requirements and their scenarios, as entries with pairs below them or as the old table."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from utilities.stp.blocks import Block, Heading, Item, ItemList, Row, Table
from utilities.stp.plan import Exclusion, Requirement, Scenario
from utilities.stp.readers.fields import labelled
from utilities.stp.signing import read_sign_off
from utilities.stp.text import DASHES, Text, bare
from utilities.stp.values import ISSUE_KEY, issue_key
from utilities.stp.vocabulary import words

_SCENARIO, _TIER, _PRIORITY, _EXCLUSION = "scenario", "tier", "priority", "exclusion"
_OLD_TIER = "test tier"
_FIELDS = {
    "test scenario": _SCENARIO,
    "test scenarios": _SCENARIO,
    "test scenario s": _SCENARIO,
    "scenario": _SCENARIO,
    "tier": _TIER,
    _OLD_TIER: _TIER,
    "priority": _PRIORITY,
}
EXCLUSION_LABEL = re.compile(r"not automated(?: here)?", re.IGNORECASE)
_TIER_MARK = re.compile(r"\s*\[(?P<tier>[^\]]*?(?:tier|t)\s*\d[^\]]*)\]\s*", re.IGNORECASE)
_TIER_NUMBER = re.compile(r"\s*\[?\s*(?:tier|t)?\s*(?P<number>[123])\s*\]?\s*", re.IGNORECASE)
_NEGATIVE_MARK = re.compile(r"\s*\[negative\]\s*", re.IGNORECASE)
_ID = re.compile(r"[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*-\d+")
_PRIORITY_NAME = re.compile(r"P[012]")
_TAIL_CUTS = 3
"""How many dashes from the end may separate the reason from issue and signature."""
_SEPARATOR = re.compile(rf"\s+[{DASHES}]+\s+|\s*\N{{EM DASH}}\s*")


@dataclass(frozen=True, slots=True)
class _Line:
    """A labelled sub-bullet: which field it is, its label in plain words, its value."""

    name: str
    label: str
    value: Text
    number: int


def read_requirements(blocks: Sequence[Block]) -> tuple[Requirement, ...]:
    """The entries in order; `####` headings between them name groups."""
    found: list[Requirement] = []
    group = ""
    for block in blocks:
        if isinstance(block, Heading):
            group = block.text.flat
        elif isinstance(block, ItemList):
            for item in block.items:
                if _field_name(item) is not None and found:
                    found[-1] = _extended(found[-1], [item])
                else:
                    found.append(_entry(item, group))
        elif isinstance(block, Table):
            for row in block.rows:
                found.append(_from_row(block, row, found[-1] if found else None, group))
    return _numbered(found)


def _field_name(item: Item) -> str | None:
    found = labelled(item)
    if found is None:
        return None
    return _EXCLUSION if EXCLUSION_LABEL.fullmatch(found[0]) else _FIELDS.get(words(found[0]))


def _entry(item: Item, group: str) -> Requirement:
    """`**[KEY]** — story`.  A bold start that is neither bracketed nor a key is part of the story."""
    lead = item.text.lead
    written, summary = "", item.text
    if lead is not None and lead[0].spans[0].strong:
        flat = lead[0].flat
        if flat.startswith("[") or ISSUE_KEY.match(flat) or any(span.href is not None for span in lead[0].spans):
            written, summary = flat.strip("[]* "), lead[1].trimmed(":" + DASHES)
    requirement = Requirement(written, issue_key(written), summary, (), group, False, item.line)
    return _extended(requirement, item.items)


def _extended(requirement: Requirement, items: Sequence[Item]) -> Requirement:
    """The requirement with the scenarios of its sub-bullets; a scenario label starts a new one."""
    scenarios = list(requirement.scenarios)
    early: list[_Line] = []
    for line in _lines(items):
        if line.name == _SCENARIO:
            scenarios.append(_scenario(line.value, line.number, requirement))
        elif scenarios:
            scenarios[-1] = _completed(scenarios[-1], line)
        else:
            early.append(line)
    if scenarios:
        for line in early:
            scenarios[0] = _completed(scenarios[0], line)
    return replace(requirement, scenarios=tuple(scenarios))


def _lines(items: Sequence[Item]) -> Iterator[_Line]:
    for top in items:
        for item in (top, *top.below()):
            name, found = _field_name(item), labelled(item)
            if name is not None and found is not None:
                yield _Line(name, words(found[0]), found[1], item.line)


def _scenario(value: Text, line: int, requirement: Requirement) -> Scenario:
    """`[Tier 2] [NEGATIVE] **GROW-01** — Verify …`; each of the three may be missing."""
    tier_written, negative, name = "", False, ""
    while True:
        if (match := _TIER_MARK.match(value.plain)) is not None and not tier_written:
            tier_written = match["tier"].strip()
        elif (match := _NEGATIVE_MARK.match(value.plain)) is not None and not negative:
            negative = True
        else:
            break
        value = value.after(match.end())
    lead = value.lead
    if lead is not None and _ID.fullmatch(lead[0].flat.strip("[]: ")):
        name, value = lead[0].flat.strip("[]: "), lead[1].trimmed(":" + DASHES)
        if (match := _NEGATIVE_MARK.match(value.plain)) is not None:
            negative, value = True, value.after(match.end())
    return Scenario(
        name,
        requirement.key or requirement.id,
        value.flat,
        value,
        tier_number(tier_written),
        f"[{tier_written}]" if tier_written else "",
        None,
        "",
        negative,
        None,
        line,
        0,
    )


def tier_number(written: str) -> int | None:
    """1, 2 or 3 in `Tier 2`, `T2`, `tier2`, `2`."""
    match = _TIER_NUMBER.fullmatch(written)
    return int(match["number"]) if match is not None else None


def _completed(scenario: Scenario, line: _Line) -> Scenario:
    """The scenario with one more of its fields; what stands twice counts once."""
    written = line.value.flat
    if line.name == _TIER and not scenario.tier_written:
        shown = f"Test Tier: {written}" if line.label == _OLD_TIER else written
        return replace(scenario, tier=tier_number(written), tier_written=shown)
    if line.name == _PRIORITY and not scenario.priority_written:
        plain = written.strip("[]")
        known = plain if _PRIORITY_NAME.fullmatch(plain) else None
        return replace(scenario, priority=known, priority_written=written)
    if line.name == _EXCLUSION:
        return replace(scenario, exclusion=read_exclusion(line.value, line.number))
    return scenario


def read_exclusion(value: Text, line: int) -> Exclusion:
    """`reason — issue, name / date`; what is missing is '' or None, placeholders count as missing."""
    flat = value.flat
    cuts = [match for match in _SEPARATOR.finditer(flat) if match.start() > 0]
    reason, rest = flat, ""
    for cut in reversed(cuts[-_TAIL_CUTS:]):
        tail = flat[cut.end() :]
        signature = read_sign_off("", bare(tail, line), line)
        if issue_key(tail) or signature.open or signature.date:
            reason, rest = flat[: cut.start()].strip(), tail
            break
    if not rest and (ISSUE_KEY.match(flat) or read_sign_off("", value, line).open):
        reason, rest = "", flat
    issue = issue_key(rest)
    signature = read_sign_off("", bare((rest.replace(issue, "", 1) if issue else rest).strip(" ,;:"), line), line)
    return Exclusion(
        reason,
        issue,
        None if signature.open else signature.name,
        None if signature.open else signature.date,
        line,
    )


def _from_row(table: Table, row: Row, above: Requirement | None, group: str) -> Requirement:
    """`| Requirement ID | Requirement Summary | Test Scenario(s) | Tier | Priority |`; a blank id continues."""
    written = row.cell(table.column("requirement id", "id")).flat
    summary = row.cell(table.column("summary"))
    continued = not written and above is not None
    if continued and above is not None:
        requirement = Requirement(above.id, above.key, summary, (), group, True, row.line)
    else:
        requirement = Requirement(written, issue_key(written), summary, (), group, False, row.line)
    value = row.cell(table.column("scenario"))
    if not value:
        return requirement
    scenario = _scenario(value, row.line, requirement)
    for name in (_TIER, _PRIORITY):
        scenario = _completed(scenario, _Line(name, name, row.cell(table.column(name)), row.line))
    return replace(requirement, scenarios=(scenario,))


def _numbered(requirements: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """Number the scenarios of each requirement key through the whole plan."""
    counts: dict[str, int] = {}
    numbered: list[Requirement] = []
    for requirement in requirements:
        scenarios: list[Scenario] = []
        for scenario in requirement.scenarios:
            counts[scenario.requirement] = counts.get(scenario.requirement, 0) + 1
            scenarios.append(replace(scenario, number=counts[scenario.requirement]))
        numbered.append(replace(requirement, scenarios=tuple(scenarios)))
    return tuple(numbered)
