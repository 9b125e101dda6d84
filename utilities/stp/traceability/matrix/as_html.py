"""The matrix as one self-contained HTML page: a table on a wide screen, cards on a narrow one."""

import html
from collections.abc import Iterable, Iterator
from importlib import resources

from utilities.stp.traceability.matrix.model import Cell, Row, Sheet
from utilities.stp.traceability.matrix.results import Results

_STYLE = resources.files("utilities.stp.traceability.matrix").joinpath("matrix.css").read_text(encoding="utf-8")
_BAD = ("failed", "broken", "inconclusive", "blocked", "untested")
_HEAD = ("Scenario", "What", "Tests", "Verdict")


def as_html(sheets: Iterable[Sheet], results: Results | None = None) -> str:
    """The page."""
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Traceability</title><style>{_STYLE}</style></head><body><h1>Traceability</h1>",
        *_facts(results),
    ]
    for sheet in sheets:
        parts += _sheet(sheet)
    return "\n".join((*parts, "</body></html>")) + "\n"


def _facts(results: Results | None) -> Iterator[str]:
    """Where the verdicts come from; everything else that the run noted unfolds."""
    if results is None:
        return
    named = [results.facts[name] for name in ("Target", "Started") if name in results.facts]
    pairs = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in results.facts.items())
    title = f"Verdicts of: {', '.join(named) or 'a run'}"
    yield f"<details><summary>{_text(title)}</summary><dl>{pairs}</dl></details>"


def _sheet(sheet: Sheet) -> Iterator[str]:
    yield f"<h2>{_text(sheet.plan.title or sheet.plan.path)}</h2>"
    counts = "".join(
        f'<li class="{_class(verdict)}"><b>{count}</b> {_text(verdict)}</li>' for verdict, count in sheet.counts.items()
    )
    yield f'<p class="path">{_text(sheet.plan.path)}</p><ul class="counts">{counts}</ul>'
    yield f"<table><thead><tr>{''.join(f'<th>{name}</th>' for name in _HEAD)}</tr></thead>"
    for group in sheet.groups:
        key = _text(group.requirement or "no requirement id")
        yield f'<tbody><tr class="group"><th colspan="4"><b>{key}</b> {_text(group.story)}</th></tr>'
        yield from (_row(row) for row in group.rows)
        yield "</tbody>"
    yield "</table>"


def _row(row: Row) -> str:
    scenario = row.scenario
    tier = f"Tier {scenario.tier}" if scenario.tier else "no tier"
    negative = '<span class="mark">negative</span> ' if scenario.negative else ""
    tests = "".join(_test(cell) for cell in row.tests)
    note = f'<p class="note">{_text(row.note)}</p>' if row.note else ""
    return (
        f'<tr id="{_text(scenario.key)}"><td class="id"><b>{_text(scenario.key)}</b>'
        f"<small>{_text(scenario.priority or 'no priority')} · {tier}</small></td>"
        f"<td>{negative}{_text(scenario.text)}</td>"
        f'<td class="tests">{f"<ul>{tests}</ul>" if tests else ""}{note}</td>'
        f'<td class="verdict"><span class="{_class(row.verdict)}">{_text(row.verdict)}</span></td></tr>'
    )


def _test(cell: Cell) -> str:
    path, _, name = cell.test.partition("::")
    verdict = f' <span class="{_class(cell.verdict)}">{_text(cell.verdict)}</span>' if cell.verdict else ""
    return f"<li><code>{_breakable(name)}</code>{verdict}<small>{_breakable(path)}</small></li>"


def _class(verdict: str) -> str:
    return "good" if verdict in ("passed", "tested") else "bad" if verdict in _BAD else "open"


def _breakable(text: str) -> str:
    """Code that may be broken at its joints."""
    shown = _text(text)
    for joint in ("/", "::", "_", "["):
        shown = shown.replace(joint, f"<wbr>{joint}" if joint == "[" else f"{joint}<wbr>")
    return shown


def _text(value: object) -> str:
    return html.escape(str(value))
