"""The run as one self-contained HTML page: scenarios by plan and priority, verdicts, evidence with its pictures."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path

from utilities.plugin.verdicts import Evidence, ScenarioResult, TestResult, Verdict

_STYLE = resources.files("utilities.plugin").joinpath("report.css").read_text(encoding="utf-8")

_LONG = 60  # characters of a fact that wants a line of its own


def page(
    title: str,
    facts: Mapping[str, str],
    results: Sequence[ScenarioResult],
    directory: Path,
    left: Sequence[str] = (),
) -> str:
    """The page. `facts` head it (site, versions, seed, times); evidence files are read from below `directory`.

    left: what was left behind on the site.
    """
    counts = Counter(result.verdict for result in results)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{_text(title)}</h1>",
        _counts(counts),
        *(f'<p class="reason">left behind on the site: {_text(item)}</p>' for item in left),
        _facts(facts),
    ]
    for plan in dict.fromkeys(result.plan for result in results):
        parts.extend(_plan(plan, [result for result in results if result.plan == plan], directory))
    parts.append("</body></html>")
    return "\n".join(parts)


def _plan(title: str, results: Sequence[ScenarioResult], directory: Path) -> Iterator[str]:
    """One plan's scenarios, the most important ones first."""
    if title:
        yield f"<h2>{_text(title)}</h2>{_counts(Counter(result.verdict for result in results))}"
    for priority in sorted({result.priority for result in results}):
        mine = [result for result in results if result.priority == priority]
        passed = sum(result.verdict is Verdict.PASSED for result in mine)
        yield f'<h3 class="priority">{_text(priority or "without priority")} — {passed} of {len(mine)} passed</h3>'
        yield from (_scenario(result, directory) for result in mine)


def _facts(facts: Mapping[str, str]) -> str:
    return f'<dl class="facts">{"".join(_fact(name, value) for name, value in facts.items())}</dl>'


def _fact(name: str, value: str) -> str:
    long = ' class="long"' if len(name) + len(value) > _LONG else ""
    return f"<div{long}><dt>{_text(name)}</dt><dd>{_text(value)}</dd></div>"


def _counts(counts: Mapping[Verdict, int]) -> str:
    items = "".join(
        f"<li>{_badge(verdict, f'<b>{counts[verdict]}</b> ')}</li>" for verdict in Verdict if counts[verdict]
    )
    return f'<ul class="counts">{items}</ul>'


def _badge(verdict: Verdict, before: str = "") -> str:
    return f'<span class="verdict {verdict.replace(" ", "-")}">{before}{verdict}</span>'


def _scenario(result: ScenarioResult, directory: Path) -> str:
    opened = " open" if result.verdict.rank >= Verdict.BLOCKED.rank else ""
    tests = "".join(_test(test, directory) for test in result.tests)
    reason = f'<p class="reason">{_text(result.reason)}</p>' if result.reason and not result.tests else ""
    known = f"known issue: {result.known_issue}" if result.known_issue else ""
    known = f"known issue not seen: {result.not_seen}" if result.not_seen else known
    remark = f'<span class="remark">{_text(known)}</span>' if known else ""
    return (
        f'<details class="scenario" id="{_text(result.id)}"{opened}><summary><span class="id">{_text(result.id)}</span>'
        f'<span>{_badge(result.verdict)}</span><span class="text">{_text(result.text)}</span>'
        f'<span class="origin">{_text(result.requirement)} · tier {result.tier}</span>{remark}</summary>'
        f"{reason}{tests}</details>"
    )


def _test(test: TestResult, directory: Path) -> str:
    figures = "".join(f"<li>{_text(name)}: <b>{_text(value)}</b></li>" for name, value in test.figures)
    reason = f'<p class="reason">{_text(test.reason)}</p>' if test.reason else ""
    evidence = "".join(_evidence(piece, directory) for piece in test.evidence)
    return (
        f'<div class="test"><h3>{_text(test.test.rpartition("/")[2])}</h3>'
        f'<ul class="figures"><li>{test.verdict} in <b>{test.seconds:.1f} s</b></li>{figures}</ul>'
        f"{reason}{evidence}</div>"
    )


def _evidence(piece: Evidence, directory: Path) -> str:
    content = (directory / piece.path).read_text(encoding="utf-8")
    if piece.media_type == "image/svg+xml":
        return f"<figure>{content}</figure>"
    return f'<details class="piece"><summary>{_text(piece.title)}</summary><pre>{_text(content)}</pre></details>'


def _text(value: object) -> str:
    return html.escape(str(value))
