"""The table a run ends with: scenario, tier, priority, verdict; in 100 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

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


def rows(results: Sequence[ScenarioResult], chosen: Collection[str] = ()) -> list[tuple[str, str]]:
    """Lines and their colour names: headings, one line per scenario, then counts by verdict and known issues.

    chosen: ids of the scenarios that the run is about; those that are not are counted. Empty: nobody knows, so that
    all are listed.
    """
    if not results:
        return []
    lines = [(f"{'scenario':<10} {'tier':<5} {'prio':<5} {'verdict':<13} what", "bold")]
    plans = {plan: [result for result in results if result.plan == plan] for plan in (each.plan for each in results)}
    listed: list[ScenarioResult] = []
    for plan, mine in plans.items():
        if len(plans) > 1:
            lines.append((_shortened(plan), "bold"))
        wanted = _wanted(mine, chosen)
        lines.extend(line for result in wanted for line in _lines(result))
        if len(wanted) < len(mine):
            lines.append((f"{len(mine) - len(wanted)} scenarios of this plan not selected", "yellow"))
        listed += wanted
    counts = Counter(result.verdict for result in listed)
    total = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    among = f"{len(listed)} of {len(results)}" if len(listed) < len(results) else f"{len(results)}"
    lines.append((f"{among} scenarios: {total}", "bold"))
    return lines + _known(results)


def _wanted(results: Sequence[ScenarioResult], chosen: Collection[str]) -> list[ScenarioResult]:
    """Those that are chosen; of a plan that is chosen as a whole, the excluded ones too."""
    wanted = [result for result in results if result.tests or result.id in chosen]
    automated = [result for result in results if result.verdict is not Verdict.EXCLUDED]
    return wanted if chosen and len(wanted) < len(automated) else list(results)


def _lines(result: ScenarioResult) -> Iterator[tuple[str, str]]:
    line = f"{result.id:<10} {result.tier or '-':<5} {result.priority or '-':<5} {result.verdict:<13} {result.text}"
    yield _shortened(line), _COLOURS[result.verdict]
    if result.known_issue:
        yield _shortened(f"{'':<23} known issue: {result.known_issue}"), _COLOURS[result.verdict]


def _known(results: Sequence[ScenarioResult]) -> list[tuple[str, str]]:
    """How many failed for what is known, and which of the known issues were not seen."""
    told = [
        ("failed by a known issue", [result.id for result in results if result.known_issue], "red"),
        ("known issue not seen", [result.id for result in results if result.not_seen], "green"),
    ]
    return [(_shortened(f"{len(ids)} {what}: {', '.join(ids)}"), colour) for what, ids, colour in told if ids]


def _shortened(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 1].rstrip() + "…"
