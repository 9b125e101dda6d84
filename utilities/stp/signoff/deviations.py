"""Where the runs differ from the plan without being judged by the gate.  Source: sheet §7, 3 and 7."""

from collections.abc import Iterator

from utilities.stp.blocks import Box
from utilities.stp.plan import Plan
from utilities.stp.signoff import names
from utilities.stp.signoff.dossier import Dossier
from utilities.stp.signoff.outcome import Outcome
from utilities.stp.signoff.products import products
from utilities.stp.signoff.results import Run
from utilities.stp.signoff.standings import Standing
from utilities.stp.traceability.tracing import SEVERITIES
from utilities.stp.versions import minor

_SHORT = 80


def deviations(dossier: Dossier) -> tuple[str, ...]:
    """Everything worth an approver's look, in words."""
    return (
        *_entry(dossier.plan),
        *version_deviations(dossier),
        *_between_runs(dossier.runs),
        *_leftovers(dossier.runs),
        *(line for standing in dossier.standings for line in _scenario(standing)),
        *_approvals(dossier),
        *_reading(dossier),
    )


def version_deviations(dossier: Dossier) -> tuple[str, ...]:
    """Versions that were recorded and are not the promised ones."""
    return tuple(
        f"{_where(dossier, run)}{each.recorded} stands for {each.name}, the plan promises {each.promised}"
        for run in dossier.runs
        for each in products(dossier.plan, run.facts)
        if each.promised and each.needed and each.recorded and minor(each.promised) != minor(each.recorded)
    )


def _where(dossier: Dossier, run: Run) -> str:
    """Which run it is about, where there are several."""
    return f"{run.folder}: " if len(dossier.runs) > 1 else ""


def _entry(plan: Plan) -> Iterator[str]:
    for criterion in plan.entry:
        if criterion.box is not Box.MARKED:
            yield f"Entry criterion not marked in the plan: {_short(criterion.text.flat)}"


def _between_runs(runs: tuple[Run, ...]) -> Iterator[str]:
    for name in (names.TARGET, *names.PLATFORM_ON_LAB, *names.VIRTUALIZATION_ON_LAB, names.SUITE):
        values = dict.fromkeys(value for run in runs if (value := run.facts.get(name)))
        if len(values) > 1:
            yield f"The runs differ in {name}: {', '.join(values)}"


def _leftovers(runs: tuple[Run, ...]) -> Iterator[str]:
    for run in runs:
        if left := run.facts.get(names.LEFTOVERS):
            yield f"{run.folder}: left something behind: {left}"


def _scenario(standing: Standing) -> Iterator[str]:
    scenario, key = standing.scenario, standing.key
    tiers = {tag for attempt in standing.attempts for tag in attempt.tags if tag in ("tier1", "tier2", "tier3")}
    if scenario.tier and tiers and f"tier{scenario.tier}" not in tiers:
        yield f"{key} is Tier {scenario.tier} in the plan, its results say {', '.join(sorted(tiers))}"
    severities = {attempt.severity for attempt in standing.attempts if attempt.severity}
    wanted = SEVERITIES.get(scenario.priority or "")
    if wanted and severities and not any(_at_least(each, wanted) for each in severities):
        yield f"{key} is {scenario.priority} in the plan, its results say {', '.join(sorted(severities))}"
    if scenario.exclusion is not None and standing.attempts:
        yield f"{key} is excluded in the plan and was run: {standing.outcome}"
    for test, attempts in standing.tests.items():
        if len(attempts) > 1:
            outcomes = ", ".join(attempt.outcome for attempt in attempts)
            yield f"{key} ran {len(attempts)} times, the worst counts: {outcomes} ({test})"
    for absent in standing.absent:
        if absent.outcome is not Outcome.DESIGNED:
            yield f"{key} lacks a result of {absent.test}: {absent.why}"


def _at_least(severity: str, wanted: str) -> bool:
    """A test of two scenarios carries the severity of the more urgent one."""
    order = list(SEVERITIES.values())
    return severity in order and order.index(severity) <= order.index(wanted)


def _approvals(dossier: Dossier) -> Iterator[str]:
    by_key = {standing.key: standing for standing in dossier.standings}
    for agreement in dossier.approvals.agreements:
        standing = by_key.get(agreement.scenario)
        if standing is None:
            yield f"The approvals agree to {agreement.scenario}, which the plan does not have"
        elif standing.passed:
            yield f"The approvals agree to {agreement.scenario}, which passed"
        elif not agreement.complete:
            yield f"The agreement to {agreement.scenario} lacks issue, name or date and does not count"
    for manual in dossier.approvals.manual:
        who = f"{manual.name}, {manual.date}" if manual.signed else "unsigned"
        yield f"{manual.scenario} was run by hand ({who}): {manual.result or 'no result given'}; it does not count"


def _reading(dossier: Dossier) -> Iterator[str]:
    """What could not be looked at, so that nobody takes silence for a check."""
    for run in dossier.runs:
        if run.attempts and run.ledger is None:
            yield f"{run.folder}: no {names.LEDGER}, so a parameter set that never ran would not be noticed"
    if dossier.others:
        titles = ", ".join(dict.fromkeys(title for attempt in dossier.others for title in attempt.features))
        yield f"{len(dossier.others)} results of other plans were not looked at: {titles}"
    unclaimed = [attempt for attempt in dossier.attempts if not attempt.scenarios]
    if unclaimed:
        yield f"{len(unclaimed)} results claim no scenario, such as {unclaimed[0].test}"
    if not dossier.tests_read:
        yield "The tests' source was not at hand, so a test that never ran would not be noticed"


def _short(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1].rstrip()}…"
