"""The report, in the order in which an approver asks.  Source: sheet §7."""

from utilities.stp.signoff.document import (
    Banner,
    Block,
    Bullets,
    Cell,
    Paragraph,
    Report,
    Section,
    Tone,
    cell,
    line,
    span,
)
from utilities.stp.signoff.dossier import Dossier
from utilities.stp.signoff.gate import Readiness, Verdict
from utilities.stp.signoff.linking import Linker
from utilities.stp.signoff.people_sections import accepted, approved, defects, differences, evidence, signatures
from utilities.stp.signoff.testing_sections import installed, overview, proven, results, tested

_TONES = {Readiness.READY: Tone.GOOD, Readiness.EXCEPTIONS: Tone.WAIT, Readiness.NOT_READY: Tone.BAD}


def report(dossier: Dossier, verdict: Verdict, linker: Linker) -> Report:
    """The ten sections."""
    return Report(
        title=dossier.plan.title or dossier.plan.path.name,
        subtitle=f"QE sign-off, {dossier.phase.words} ({dossier.phase})",
        sections=(
            _verdict(dossier, verdict),
            tested(dossier),
            installed(dossier),
            results(dossier, linker),
            proven(dossier),
            defects(dossier),
            differences(dossier),
            accepted(dossier),
            evidence(dossier, linker),
            approved(dossier),
        ),
    )


def _verdict(dossier: Dossier, verdict: Verdict) -> Section:
    """1: the verdict, the reasons in order of weight, the exceptions, how far the approvals are."""
    passed = sum(standing.passed for standing in dossier.standings)
    given, asked = signatures(dossier)
    blocks: list[Block] = [Banner(verdict.line, _TONES[verdict.readiness]), overview(dossier)]
    if verdict.reasons:
        reasons: tuple[Cell, ...] = tuple(
            (line(span(reason.what)), line(span(reason.todo, Tone.SOFT))) for reason in verdict.reasons
        )
        blocks += [Paragraph(line(span("Why not, the heaviest first", strong=True))), Bullets(reasons, numbered=True)]
    if verdict.exceptions:
        blocks.append(Paragraph(line(span("Accepted exceptions", strong=True))))
        blocks.append(Bullets(tuple(cell(each) for each in verdict.exceptions)))
    scenarios = f"{passed} of {len(dossier.standings)} scenarios passed."
    blocks.append(Paragraph(line(f"{scenarios} {given} of {asked} approvals are given for this report.")))
    return Section("Verdict", "Is it ready?", tuple(blocks))
