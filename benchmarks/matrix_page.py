"""The fault matrix as one self-contained HTML page."""

from __future__ import annotations

import html
from collections.abc import Sequence

from benchmarks.exactness import Cell, Row, gist

_SIGNS = {Cell.CAUGHT: "●", Cell.MISSED: "○", Cell.UNDECLARED: "✖", Cell.QUIET: "·"}
_LEGEND = {
    Cell.CAUGHT: "declared and red",
    Cell.MISSED: "declared, not red",
    Cell.UNDECLARED: "not declared, not green",
    Cell.QUIET: "not declared, green",
}
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #cf222e; --dim: #8888; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5rem; }
table { border-collapse: collapse; }
.frame { overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .15rem .4rem; text-align: center; }
th.fault { text-align: left; white-space: nowrap; font-weight: 600; }
thead th.id { writing-mode: vertical-rl; transform: rotate(180deg); font-weight: 500; }
tbody tr:hover { background: #8882; }
.caught { color: var(--good); } .quiet { color: var(--dim); }
.missed, .undeclared { color: #fff; background: var(--bad); font-weight: 700; }
.legend span { margin-right: 1.5rem; } .seconds { text-align: right; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px; margin: .3rem 0 .8rem 1rem; }
summary { cursor: pointer; margin: .3rem 0; }
"""


def page(rows: Sequence[Row], notes: Sequence[str]) -> str:
    """The page: legend, matrix, and below it what each red scenario said."""
    scenarios = sorted({name for row in rows for name in row.run.verdicts})
    exact = sum(row.exact for row in rows)
    legend = "".join(
        f'<span><b class="{kind.lower()}">&nbsp;{_SIGNS[kind]}&nbsp;</b> {text}</span>'
        for kind, text in _LEGEND.items()
    )
    head = "".join(f'<th class="id">{_text(name)}</th>' for name in scenarios)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
            f"<title>Fault matrix</title><style>{_STYLE}</style></head><body>",
            f"<h1>Fault matrix: {exact} of {len(rows)} faults turn red exactly what they declare</h1>",
            f'<p class="legend">{legend}</p>',
            *(f"<p><b>{_text(note)}</b></p>" for note in notes),
            '<div class="frame"><table><thead><tr><th>fault</th>',
            f"{head}<th>wall s</th></tr></thead><tbody>",
            *(_row(row, scenarios) for row in rows),
            "</tbody></table></div><h2>What the red scenarios say</h2>",
            *(_details(row) for row in rows),
            "</body></html>",
        ]
    )


def _row(row: Row, scenarios: Sequence[str]) -> str:
    breaks = " ".join(fault.breaks for fault in row.faults)
    cells = "".join(_cell(row, name) for name in scenarios)
    return (
        f'<tr><th class="fault" title="{_text(breaks)}">{_text(row.name)}</th>{cells}'
        f'<td class="seconds">{row.run.seconds:.0f}</td></tr>'
    )


def _cell(row: Row, name: str) -> str:
    kind = row.cell(name)
    verdict = row.run.verdicts.get(name, "not run")
    return f'<td class="{kind.lower()}" title="{_text(f"{name}: {verdict} ({kind})")}">{_SIGNS[kind]}</td>'


def _details(row: Row) -> str:
    opened = "" if row.exact else " open"
    said = "".join(
        f"<p><b>{_text(name)}</b> {_text(row.cell(name))}, {_text(row.run.verdicts.get(name, 'not run'))}</p>"
        f"<pre>{_text(gist(row.run.reasons.get(name, '')))}</pre>"
        for name in sorted(row.declared | row.run.not_green)
    )
    breaks = " ".join(fault.breaks for fault in row.faults)
    return f"<details{opened}><summary><b>{_text(row.name)}</b> {_text(breaks)}</summary>{said}</details>"


def _text(value: object) -> str:
    return html.escape(str(value))
