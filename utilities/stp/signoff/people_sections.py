"""What people have to know and to accept: defects, deviations, constraints, evidence, approvals; sections 6 to 10."""

from collections.abc import Iterator

from utilities.stp.finding import Finding, Severity
from utilities.stp.plan import Person
from utilities.stp.signoff import names
from utilities.stp.signoff.approvals import Approval, Decision, Defect
from utilities.stp.signoff.constraints import Constraint
from utilities.stp.signoff.deviations import deviations
from utilities.stp.signoff.document import (
    Block,
    Bullets,
    Cell,
    Line,
    Paragraph,
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
from utilities.stp.signoff.dossier import Dossier, Phase
from utilities.stp.signoff.linking import Linker
from utilities.stp.signoff.outcome import Outcome
from utilities.stp.signoff.results import Run
from utilities.stp.signoff.standings import Standing
from utilities.stp.signoff.testing_sections import chip
from utilities.stp.silencing import silences_in

_TONES = {Severity.CRITICAL: Tone.BAD, Severity.HIGH: Tone.BAD}


def defects(dossier: Dossier) -> Section:
    """6: open defects; what did not pass, was quarantined or excluded, and who agreed."""
    rows = tuple(_defect(each) for each in (*dossier.approvals.defects, *_linked_issues(dossier)))
    open_ones = [standing for standing in dossier.standings if not standing.passed]
    blocks: list[Block] = [
        Table(("Defect", "Severity", "Hits", "Workaround", "Decision"), rows)
        if rows
        else Paragraph(line("No open defect is named by the results or the approvals.")),
    ]
    if open_ones:
        head = ("Not passed", "Result", "Reason", "Issue and agreement")
        blocks.append(Table(head, tuple(_open(each) for each in open_ones)))
    return Section(
        "Open defects, quarantined and excluded", "What is known to be broken, and who accepted it?", tuple(blocks)
    )


def _linked_issues(dossier: Dossier) -> Iterator[Defect]:
    """Issues that the results link to and the approvals do not describe."""
    hits: dict[str, dict[str, None]] = {}
    for standing in dossier.standings:
        for attempt in standing.attempts:
            for link in attempt.links:
                if link.kind == "issue":
                    hits.setdefault(link.name, {})[standing.key] = None
    told = {each.key for each in dossier.approvals.defects}
    yield from (Defect(key=key, scenarios=tuple(keys)) for key, keys in hits.items() if key not in told)


def _defect(defect: Defect) -> tuple[Cell, ...]:
    return (
        cell(span(defect.key, strong=True)),
        cell(words(defect.severity, "not given")),
        cell(", ".join(defect.scenarios) or "—"),
        cell(words(defect.workaround, "none given")),
        cell(words(defect.decision, "open")),
    )


def _open(standing: Standing) -> tuple[Cell, ...]:
    exclusion = standing.scenario.exclusion
    reason = standing.message or (exclusion.reason if exclusion is not None else "")
    if standing.agreed is not None:
        agreement = cell(str(standing.agreed))
    else:
        issue = f"{exclusion.issue}, " if exclusion is not None and exclusion.issue else ""
        agreement = cell(span(f"{issue}nobody agreed", Tone.BAD))
    key = cell(span(standing.key, strong=True), span(f" {standing.priority}", Tone.SOFT))
    return key, cell(chip(standing.outcome)), cell(words(reason, _unsaid(standing))), agreement


def _unsaid(standing: Standing) -> str:
    return "no result" if standing.outcome is Outcome.NOT_RUN else "no reason given"


def differences(dossier: Dossier) -> Section:
    """7: deviations from the plan."""
    found = deviations(dossier)
    block = Bullets(tuple(cell(each) for each in found)) if found else Paragraph(line("None was found."))
    return Section("Deviations from the plan", "What was done differently, or could not be checked?", (block,))


def accepted(dossier: Dossier) -> Section:
    """8: constraints with their signatures, and what the linter still says."""
    order = sorted(dossier.constraints, key=lambda each: each.signed)
    rows = tuple(_constraint(each) for each in order)
    findings = sorted(dossier.findings, key=lambda each: (-each.severity, each.line))
    told = {line for each in dossier.constraints for line in each.lines}
    shown = [finding for finding in findings if not (finding.open and finding.line in told)]
    silences = silences_in(dossier.plan.source)
    blocks: list[Block] = [
        Table(("Constraint", "Signed by", "Line"), rows)
        if rows
        else Paragraph(line("The plan asks nobody to accept anything."))
    ]
    if shown:
        blocks.append(Table(("Finding", "What", "Line"), tuple(_finding(each) for each in shown)))
    else:
        blocks.append(Paragraph(line("The linter has no other open finding.")))
    if silences:
        silenced = (cell(span(each.id, strong=True), f": {each.reason} (line {each.line})") for each in silences)
        blocks += [Paragraph(line(span("Silenced findings", strong=True))), Bullets(tuple(silenced))]
    return Section("Accepted constraints", "What is not promised, and has everybody accepted that?", tuple(blocks))


def _constraint(constraint: Constraint) -> tuple[Cell, ...]:
    signature = span(constraint.signature) if constraint.signed else span(_lacking(constraint), Tone.BAD, strong=True)
    what = cell(span(f"{constraint.kind.one}: ", strong=True), constraint.text)
    return what, cell(signature), cell(str(constraint.line))


def _lacking(constraint: Constraint) -> str:
    return f"incomplete: {constraint.signature}" if constraint.signature else "unsigned"


def _finding(finding: Finding) -> tuple[Cell, ...]:
    grade = "open" if finding.open else finding.severity.name
    tone = _TONES.get(finding.severity, Tone.WAIT)
    return cell(Span(grade, tone, chip=True), f" {finding.id}"), cell(finding.what), cell(str(finding.line))


def evidence(dossier: Dossier, linker: Linker) -> Section:
    """9: the runs with their checksums."""
    rows = tuple(_run(run, linker) for run in dossier.runs)
    table = Table(("Results", "Count", "Checksum", "Job"), rows)
    return Section("Evidence", "Where are the results, and are they still what was judged?", (table,))


def _run(run: Run, linker: Linker) -> tuple[Cell, ...]:
    job = run.facts.get(names.JOB)
    where: list[Line] = [line(span(run.folder.as_posix(), href=linker.to(run.folder)))]
    report = run.folder / "report.html"
    if report.is_file():
        where.append(line(span("the run's own report", href=linker.to(report))))
    where += (line(span(trouble, Tone.BAD)) for trouble in run.troubles)
    return (
        tuple(where),
        cell(str(len(run.attempts))),
        cell(digest(run.digest)),
        cell(span(job, href=job if job.startswith(("http://", "https://")) else "") if job else words("")),
    )


def approved(dossier: Dossier) -> Section:
    """10: decisions for this report, for another one, and those still missing."""
    approvals, checksum = dossier.approvals, dossier.checksum
    rows = [_approval(each, checksum) for each in approvals.approvals]
    rows += (_missing(role, person) for role, person in _waiting(dossier))
    needed = dossier.phase is Phase.GA
    merged, reviewed = approvals.automation.merged, approvals.documentation.reviewed
    facts = Table(
        ("", " "),
        (
            (cell(span("This report", strong=True)), cell(digest(checksum))),
            (cell(span("Automation merged", strong=True)), cell(_address(merged, Tone.BAD if needed else Tone.WAIT))),
            (cell(span("Documentation reviewed", strong=True)), cell(_address(reviewed, Tone.WAIT))),
        ),
        "facts",
    )
    note = "A decision counts for the report whose checksum it names; whoever approves writes down the one above."
    people: list[Block] = [Table(("Role", "Name", "Decision", "Date"), tuple(rows))] if rows else []
    if not rows:
        people = [Paragraph(line(span("Nobody is named to approve this.", Tone.BAD)))]
    return Section(
        "Approvals", "Who said yes, and to which report?", (facts, *people, Paragraph(line(span(note, Tone.SOFT))))
    )


def signatures(dossier: Dossier) -> tuple[int, int]:
    """(approvals given for this report, approvals asked for)."""
    given = [
        each
        for each in dossier.approvals.approvals
        if each.given_for(dossier.checksum) and each.decision is Decision.APPROVED
    ]
    return len(given), len(dossier.approvals.approvals) + len(list(_waiting(dossier)))


def _waiting(dossier: Dossier) -> Iterator[tuple[str, Person | None]]:
    """The plan's approvers whose role has no entry in the approvals file."""
    approvers = dossier.plan.approval.approvers if dossier.plan.approval else None
    if approvers is None:
        return
    entered = {each.role.strip().lower() for each in dossier.approvals.approvals}
    named = {person.role: person for person in approvers.people}
    for role in dict.fromkeys((*approvers.roles, *named)):
        if role.strip().lower() not in entered:
            yield role, named.get(role)


def _approval(each: Approval, checksum: str) -> tuple[Cell, ...]:
    who = cell(words(each.name, "nobody"), span(f" {each.handle}" if each.handle else "", Tone.SOFT))
    if not each.signed or each.decision is None:
        decision = cell(span("unsigned", Tone.BAD, strong=True))
    elif not each.given_for(checksum):
        decision = (
            line(span(each.decision.value, Tone.WAIT), span(" another report", Tone.BAD, strong=True)),
            line(digest(each.report) if each.report else span("it names no checksum", Tone.SOFT)),
        )
    else:
        decision = cell(Span(each.decision.value, _decided(each.decision), chip=True))
    return cell(span(each.role, strong=True)), who, decision, cell(words(each.date, "—"))


def _decided(decision: Decision) -> Tone:
    return Tone.GOOD if decision is Decision.APPROVED else Tone.BAD


def _missing(role: str, person: Person | None) -> tuple[Cell, ...]:
    name = f"{person.name} {' '.join(person.handles)}".strip() if person else ""
    unsigned = cell(span("unsigned", Tone.BAD, strong=True))
    return cell(span(role or "Approver", strong=True)), cell(words(name, "nobody")), unsigned, cell(words("", "—"))


def _address(url: str, tone: Tone) -> Span:
    return span(url, href=url) if url else span("no link given", tone)
