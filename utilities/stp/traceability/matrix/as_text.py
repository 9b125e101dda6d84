"""The matrix for a terminal of 100 columns: scenarios below their requirement, tests below their scenario."""

from collections.abc import Iterable, Iterator
from textwrap import shorten

from utilities.stp.traceability.matrix.model import Group, Row, Sheet
from utilities.stp.traceability.matrix.results import Results

WIDTH = 100


def as_text(sheets: Iterable[Sheet], results: Results | None = None) -> str:
    """One block a plan, ending in a line break."""
    facts = results.facts.items() if results else ()
    lines = [shorten(f"{name}: {value}", WIDTH, placeholder=" …") for name, value in facts]
    for sheet in sheets:
        lines += _sheet(sheet)
    return "".join(f"{line}\n" for line in lines)


def summary(sheet: Sheet) -> str:
    """`33 scenarios: 31 passed, 2 excluded`."""
    total = len(sheet.rows)
    counted = ", ".join(f"{count} {verdict}" for verdict, count in sheet.counts.items())
    return f"{total} scenario{'s' if total != 1 else ''}{': ' if counted else ''}{counted}"


def _sheet(sheet: Sheet) -> Iterator[str]:
    yield shorten(sheet.plan.title or "(no title)", WIDTH, placeholder=" …")
    yield f"{sheet.plan.path}  {summary(sheet)}"
    for group in sheet.groups:
        yield from _group(group)


def _group(group: Group) -> Iterator[str]:
    yield ""
    yield shorten(f"{group.requirement or 'no requirement id'}  {group.story}", WIDTH, placeholder=" …")
    file = ""
    for row in group.rows:
        yield _row(row)
        for cell in row.tests:
            path, _, name = cell.test.partition("::")
            if path != file:
                yield f"      {path}"
                file = path
            yield f"        {name}{f'  {cell.verdict}' if cell.verdict else ''}"
        if row.note:
            yield f"      {shorten(row.note, WIDTH - 6, placeholder=' …')}"


def _row(row: Row) -> str:
    scenario = row.scenario
    tier = f"T{scenario.tier}" if scenario.tier else "--"
    head = f"  {scenario.key:<9} {scenario.priority or '--'} {tier} {row.verdict:<12} "
    return head + shorten(scenario.text, WIDTH - len(head), placeholder=" …")
