"""The table a run ends with: scenario, tier, priority, verdict; in 100 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from utilities.plugin.verdicts import ScenarioResult, Verdict

_COLOURS = {
    Verdict.PASSED: "green",
    Verdict.EXCLUDED: "yellow",
    Verdict.NOT_RUN: "yellow",
    Verdict.BLOCKED: "yellow",
    Verdict.INCONCLUSIVE: "purple",
    Verdict.BROKEN: "red",
    Verdict.FAILED: "red",
}
WIDTH = 100


def rows(results: Sequence[ScenarioResult]) -> list[tuple[str, str]]:
    """Lines and their colour names: headings, one line per scenario, then counts by verdict and known issues."""
    if not results:
        return []
    lines = [(f"{'scenario':<10} {'tier':<5} {'prio':<5} {'verdict':<13} what", "bold")]
    plans = dict.fromkeys(result.plan for result in results)
    before = None
    for result in results:
        if len(plans) > 1 and result.plan != before:
            lines.append((_shortened(result.plan), "bold"))
            before = result.plan
        line = f"{result.id:<10} {result.tier or '-':<5} {result.priority or '-':<5} {result.verdict:<13} {result.text}"
        lines.append((_shortened(line), _COLOURS[result.verdict]))
        if result.known_issue:
            lines.append((_shortened(f"{'':<23} known issue: {result.known_issue}"), _COLOURS[result.verdict]))
    counts = Counter(result.verdict for result in results)
    total = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    lines.append((f"{len(results)} scenarios: {total}", "bold"))
    return lines + _known(results)


def _known(results: Sequence[ScenarioResult]) -> list[tuple[str, str]]:
    """How many failed for what is known, and which of the known issues were not seen."""
    told = [
        ("failed by a known issue", [result.id for result in results if result.known_issue], "red"),
        ("known issue not seen", [result.id for result in results if result.not_seen], "green"),
    ]
    return [(_shortened(f"{len(ids)} {what}: {', '.join(ids)}"), colour) for what, ids, colour in told if ids]


def _shortened(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 1].rstrip() + "…"
