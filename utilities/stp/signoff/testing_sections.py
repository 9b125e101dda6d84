"""What was tested, on what, with which results, and what that proves: sections 2 to 5 of the report."""

from collections import Counter
from collections.abc import Iterator, Sequence

from utilities.stp.plan import Field
from utilities.stp.signoff import names, pictures
from utilities.stp.signoff.deviations import version_deviations
from utilities.stp.signoff.document import (
    Block,
    Cell,
    Line,
    Paragraph,
    Picture,
    Section,
    Span,
    Table,
    Tone,
    cell,
    digest,
    line,
    span,
    words,
)
from utilities.stp.signoff.dossier import Dossier
from utilities.stp.signoff.facts import folded
from utilities.stp.signoff.linking import Linker
from utilities.stp.signoff.outcome import Outcome, worst
from utilities.stp.signoff.proofs import Kind, Proof, State
from utilities.stp.signoff.results import Attempt, Run, parameters_of
from utilities.stp.signoff.standings import Standing
from utilities.stp.values import URL, is_na

_TONES = {Outcome.PASSED: Tone.GOOD, Outcome.FAILED: Tone.BAD, Outcome.BROKEN: Tone.BAD}
_STATES = {State.PROVEN: Tone.GOOD, State.PARTLY: Tone.WAIT, State.UNPROVEN: Tone.BAD}
_LINES = 8
"""Attempts whose evidence is linked in one row; the rest stands in the results folder."""
_PICTURES = (".svg", ".png", ".jpg", ".jpeg", ".webp")
_MESSAGE = 160


def tested(dossier: Dossier) -> Section:
    """2: feature, plan, revision, target, when, who."""
    plan, (first, last) = dossier.plan, dossier.times
    fields = plan.metadata.fields if plan.metadata else ()
    requirements = dict.fromkeys(scenario.requirement for scenario in plan.scenarios if scenario.requirement)
    rows = [
        ("Feature", cell(plan.title)),
        ("Plan", (line(plan.path.as_posix()), line(digest(dossier.revision)))),
        ("Requirements", cell(words(", ".join(requirements), "none"))),
        *(
            (field.name, cell(*_linked(field)))
            for field in fields
            if field.name in ("Feature Tracking", "Epic Tracking")
        ),
        ("Suite revision", _recorded(dossier.runs, names.SUITE)),
        ("Target", (*_recorded(dossier.runs, names.TARGET), *_lab_note(dossier))),
        ("First start", cell(words(first))),
        ("Last end", cell(words(last))),
        ("Run by", _recorded(dossier.runs, names.OWNER)),
    ]
    return Section("What was tested", "Which feature, which plan, which run?", (_facts(rows),))


def installed(dossier: Dossier) -> Section:
    """3: what the runs recorded, next to what Section II.3 promises."""
    promised = {field.name: field for field in dossier.plan.environment}
    rows: list[tuple[Cell, ...]] = []
    for name, keys in names.ENVIRONMENT_FIELDS:
        field = promised.pop(name, None)
        promise = cell(*_linked(field)) if field else cell(span("not in the plan", Tone.SOFT))
        needless = field is not None and is_na(field.content)
        recorded = _observed(dossier.runs, keys) or cell(span("not needed", Tone.SOFT) if needless else words(""))
        differing = version_deviations(dossier) if name == names.VERSIONS else ()
        rows.append(
            (cell(span(name, strong=True)), promise, (*recorded, *(line(span(each, Tone.BAD)) for each in differing)))
        )
    rows += (
        (cell(span(name, strong=True)), cell(*_linked(field)), cell(words(""))) for name, field in promised.items()
    )
    rows += (
        (cell(span(key.replace(".", " "), strong=True)), cell(span("—", Tone.SOFT)), told)
        for key, told in _more(dossier.runs).items()
    )
    table = Table(("Item in II.3", "Promised", "Recorded"), tuple(rows), "promises")
    return Section("On what", "Was it the environment that the plan promises?", (table,))


def results(dossier: Dossier, linker: Linker) -> Section:
    """4: counts by priority, then every scenario, the worst of each priority first."""
    present = [outcome for outcome in Outcome if any(each.outcome is outcome for each in dossier.standings)]
    groups = _groups(dossier)
    counts = tuple(
        (cell(span(name, strong=True)), *_counts(mine, present), cell(str(len(mine)))) for name, mine in groups
    )
    worst_first = (each for _, mine in groups for each in sorted(mine, key=lambda each: -each.outcome.rank))
    rows = tuple(_row(each, linker) for each in worst_first)
    blocks: list[Block] = [
        Table(("Priority", *present, "All"), counts, "counts"),
        Table(("Scenario", "Result", "Tests", "Evidence"), rows, "scenarios"),
    ]
    return Section("Results by priority", "What passed, what did not, and where is the evidence?", tuple(blocks))


def overview(dossier: Dossier) -> Picture:
    """The picture that stands beside the verdict."""
    told = ". ".join(f"{name}: {_told(mine)}" for name, mine in _groups(dossier))
    return Picture(pictures.by_priority(dossier.standings), f"{told}." if told else "The plan has no scenario.")


def proven(dossier: Dossier) -> Section:
    """5: criteria and goals, those without proof first."""
    order = list(State)
    by_key = {standing.key: standing for standing in dossier.standings}
    blocks: list[Block] = []
    if dossier.proofs and dossier.standings:
        shown = "Scenarios down, acceptance criteria across; the first column is the scenario's own result."
        blocks.append(Picture(pictures.matrix(dossier.standings, dossier.proofs), shown))
    for kind, title in ((Kind.CRITERION, "Acceptance criteria"), (Kind.GOAL, "Goals")):
        mine = sorted((each for each in dossier.proofs if each.kind is kind), key=lambda each: order.index(each.state))
        rows = tuple(_proof(each, by_key) for each in mine)
        blocks.append(Paragraph(line(span(f"{title}: {_states(mine)}", strong=True))))
        if rows:
            blocks.append(Table((kind.value.capitalize(), "Proven", "By"), rows, "proofs"))
    return Section("Acceptance criteria and goals", "Is every promise proven by a scenario that passed?", tuple(blocks))


def _states(proofs: Sequence[Proof]) -> str:
    counts = Counter(proof.state for proof in proofs)
    return ", ".join(f"{counts[state]} {state}" for state in State if counts[state]) or "none"


def chip(outcome: Outcome) -> Span:
    """An outcome as a coloured label."""
    return Span(str(outcome), _TONES.get(outcome, Tone.WAIT), chip=True)


def _facts(rows: Sequence[tuple[str, Cell]]) -> Table:
    return Table(("", " "), tuple((cell(span(name, strong=True)), value) for name, value in rows), "facts")


def _linked(field: Field) -> Iterator[Span]:
    """A field's value with its links; only addresses of the web are followed."""
    for each in field.content.spans:
        address = each.href or ""
        yield span(each.text.replace("\n", " "), href=address if URL.fullmatch(address) else "")


def _recorded(runs: Sequence[Run], name: str) -> Cell:
    """What the runs say, once where they agree."""
    values = dict.fromkeys(run.facts.get(name) for run in runs)
    return tuple(line(words(value)) for value in values) or cell(words(""))


def _observed(runs: Sequence[Run], keys: Sequence[str]) -> Cell:
    found: list[Line] = []
    for key in keys:
        values = dict.fromkeys(value for run in runs if (value := run.facts.get(key)))
        found += (line(span(f"{key}: ", Tone.SOFT), value) for value in values)
    return tuple(found)


def _more(runs: Sequence[Run]) -> dict[str, Cell]:
    """Recorded keys that no other row shows, with their values as they are written."""
    shown = {names.TARGET, names.TARGET_KIND, names.SUITE, names.OWNER, names.JOB}
    shown.update(key for _, keys in names.ENVIRONMENT_FIELDS for key in keys)
    known = {folded(key) for key in shown}
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        for key, value in run.facts.written:
            if folded(key) not in known and not folded(key).startswith(folded(names.PLAN)):
                found.setdefault(key, {})[value] = None
    return {key: tuple(line(value) for value in values) for key, values in found.items()}


def _lab_note(dossier: Dossier) -> Iterator[Line]:
    if any(run.facts.on_lab for run in dossier.runs):
        yield line(span("Lab results prove the suite, never the product.", Tone.WAIT))
    if any(run.facts.on_lab is None for run in dossier.runs):
        yield line(span("A run does not say what it ran on, and counts as a lab run.", Tone.WAIT))


def _counts(mine: Sequence[Standing], present: Sequence[Outcome]) -> Iterator[Cell]:
    counts = Counter(each.outcome for each in mine)
    for outcome in present:
        tone = _TONES.get(outcome, Tone.WAIT) if counts[outcome] else Tone.SOFT
        yield cell(span(counts[outcome], tone, strong=counts[outcome] > 0))


def _groups(dossier: Dossier) -> list[tuple[str, list[Standing]]]:
    """The scenarios by priority, the most urgent first."""
    groups = ((name, [each for each in dossier.standings if each.priority == name]) for name in ("P0", "P1", "P2"))
    return [(name, mine) for name, mine in groups if mine]


def _told(mine: Sequence[Standing]) -> str:
    counts = Counter(each.outcome for each in mine)
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome])


def _row(standing: Standing, linker: Linker) -> tuple[Cell, ...]:
    scenario = standing.scenario
    tier = f"Tier {scenario.tier}" if scenario.tier else "no tier"
    where = f" · {scenario.priority or 'no priority'} · {tier} · {scenario.requirement or 'no requirement'}"
    what: Cell = (line(span(standing.key, strong=True), span(where, Tone.SOFT)), line(scenario.text))
    result: list[Line] = [line(chip(standing.outcome))]
    if standing.message and not standing.passed:
        result.append(line(span(_short(standing.message), Tone.BAD)))
    if standing.agreed is not None and not standing.passed:
        result.append(line(span(str(standing.agreed), Tone.SOFT)))
    return (
        what,
        tuple(result),
        tuple(_tests(standing)),
        tuple(_evidence(standing, linker)) or cell(span("—", Tone.SOFT)),
    )


def _tests(standing: Standing) -> Iterator[Line]:
    """One line a test: its sets, those that did not pass with their outcome, reruns with all of theirs."""
    functions: dict[str, list[tuple[str, tuple[Attempt, ...]]]] = {}
    for test, attempts in standing.tests.items():
        functions.setdefault(test.partition("[")[0], []).append((parameters_of(test).strip("[]"), attempts))
    for function, sets in functions.items():
        parts = [span(function.rpartition("::")[2])]
        for name, attempts in sets:
            outcome = worst(each.outcome for each in attempts)
            parts.append(span(f" [{name}]" if name else "", Tone.SOFT if outcome is Outcome.PASSED else Tone.BAD))
            if len(attempts) > 1:
                parts.append(
                    span(f" ran {len(attempts)} times: {', '.join(each.outcome for each in attempts)}", Tone.WAIT)
                )
            elif len(sets) > 1 and outcome is not Outcome.PASSED:
                parts.append(span(f" {outcome}", Tone.BAD))
        yield line(*parts)
    for absent in standing.absent:
        yield line(span(f"{absent.test}: {absent.why}", Tone.WAIT))
    if not functions and not standing.absent:
        yield line(span("no test", Tone.SOFT))


def _evidence(standing: Standing, linker: Linker) -> Iterator[Line]:
    """One line an attempt: pictures first, the result itself where nothing else was left; then what was measured."""
    several = len(standing.attempts) > 1
    for attempt in standing.attempts[:_LINES]:
        pieces = [(piece.name, piece.path) for piece in attempt.evidence if piece.path is not None]
        pieces.sort(key=lambda each: each[1].suffix not in _PICTURES)
        parts = [span(f"{parameters_of(attempt.test)} ", Tone.SOFT)] if several and parameters_of(attempt.test) else []
        for number, (name, path) in enumerate(pieces or [("result", attempt.file)]):
            parts += [span(", ", Tone.SOFT)] if number else []
            parts.append(span(name, href=linker.to(path)))
        yield line(*parts)
    if len(standing.attempts) > _LINES:
        yield line(span(f"and of {len(standing.attempts) - _LINES} more", Tone.SOFT))
    figures: dict[str, dict[str, None]] = {}
    for attempt in standing.attempts:
        for name, value in attempt.figures:
            figures.setdefault(name, {})[value] = None
    yield from (line(span(f"{name}: {', '.join(values)}", Tone.SOFT)) for name, values in figures.items())


def _proof(proof: Proof, standings: dict[str, Standing]) -> tuple[Cell, ...]:
    by: dict[Outcome, list[str]] = {}
    for key in proof.scenarios:
        by.setdefault(standings[key].outcome, []).append(key)
    lines = [
        line(span(f"{outcome} ", _TONES.get(outcome, Tone.WAIT)), ", ".join(keys))
        for outcome, keys in sorted(by.items(), key=lambda each: -each[0].rank)
    ]
    if lines and not proof.named:
        lines.append(line(span("found by wording", Tone.SOFT)))
    tone = _STATES[proof.state] if proof.kind is Kind.CRITERION or proof.state is State.PROVEN else Tone.WAIT
    statement = cell(span(f"{proof.label} ", strong=True), proof.text)
    state = cell(Span(proof.state.value, tone, chip=True))
    return statement, state, tuple(lines) or cell(span("no scenario", Tone.BAD))


def _short(text: str) -> str:
    return text if len(text) <= _MESSAGE else f"{text[: _MESSAGE - 1].rstrip()}…"
