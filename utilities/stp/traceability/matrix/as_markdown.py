"""The matrix as Markdown: one table a plan."""

from collections.abc import Iterable, Iterator

from utilities.stp.traceability.matrix.as_text import summary
from utilities.stp.traceability.matrix.model import Cell, Row, Sheet
from utilities.stp.traceability.matrix.results import Results

_HEAD = ("Requirement", "Scenario", "Priority", "Tier", "What", "Tests", "Last verdict")


def as_markdown(sheets: Iterable[Sheet], results: Results | None = None) -> str:
    """A document; the cells of a requirement are written once, at its first scenario."""
    lines = ["# Traceability", ""]
    if results is not None:
        lines += [*(f"- **{name}:** {_escaped(value)}" for name, value in results.facts.items()), ""]
    for sheet in sheets:
        lines += _sheet(sheet)
    return "\n".join(lines)


def _sheet(sheet: Sheet) -> Iterator[str]:
    yield from (f"## {_escaped(sheet.plan.title or str(sheet.plan.path))}", "")
    yield from (f"`{sheet.plan.path}` — {summary(sheet)}", "")
    yield f"| {' | '.join(_HEAD)} |"
    yield f"|{' --- |' * len(_HEAD)}"
    for group in sheet.groups:
        for number, row in enumerate(group.rows):
            requirement = f"**{group.requirement}** {_escaped(group.story)}" if number == 0 else ""
            yield f"| {' | '.join((requirement, *_cells(row)))} |"
    yield ""


def _cells(row: Row) -> Iterator[str]:
    scenario = row.scenario
    yield f"**{scenario.key}**"
    yield scenario.priority or "—"
    yield str(scenario.tier or "—")
    yield _escaped(scenario.text)
    yield "<br>".join(_test(cell) for cell in row.tests) or _escaped(row.note) or "—"
    yield row.verdict


def _test(cell: Cell) -> str:
    return f"`{cell.test}`{f' {cell.verdict}' if cell.verdict else ''}"


def _escaped(text: str) -> str:
    """Text that stays text in a table cell."""
    for sign in "\\|*_`<":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
