"""The whole way of a sign-off: read the inputs, judge, write the pages, tell."""

import argparse
import hashlib
from pathlib import Path
from textwrap import fill

from utilities.stp.errors import StpError
from utilities.stp.linting import lint, subject_of
from utilities.stp.parsing import plan_of
from utilities.stp.plan import Plan
from utilities.stp.signoff.approvals import NOBODY, read_approvals
from utilities.stp.signoff.as_html import as_html
from utilities.stp.signoff.as_json import as_json
from utilities.stp.signoff.as_markdown import as_markdown
from utilities.stp.signoff.dossier import Dossier, Phase, dossier
from utilities.stp.signoff.gate import Readiness, Verdict, judge
from utilities.stp.signoff.linking import Linker
from utilities.stp.signoff.reading import read_runs
from utilities.stp.signoff.report import report
from utilities.stp.source import read_source
from utilities.stp.traceability import Claim, read_claims
from utilities.stp.values import is_empty, is_na

READY, NOT_READY = 0, 1
_WIDTH = 100
_TESTS = Path("tests")


def sign_off(chosen: argparse.Namespace) -> int:
    """Returns the exit status of `stp signoff`.  Raises StpError when an input cannot be read."""
    case = _dossier(chosen)
    verdict = judge(case)
    folder = chosen.output or chosen.results[0] / "signoff"
    written = _write(folder, case, verdict)
    _tell(case, verdict, written)
    return NOT_READY if verdict.readiness is Readiness.NOT_READY else READY


def _dossier(chosen: argparse.Namespace) -> Dossier:
    source = read_source(chosen.plan)
    plan = plan_of(source)
    return dossier(
        plan,
        hashlib.sha256(chosen.plan.read_bytes()).hexdigest(),
        Phase(chosen.phase) if chosen.phase else only_phase(plan),
        read_runs(chosen.results),
        read_approvals(chosen.approvals) if chosen.approvals else NOBODY,
        findings=lint(subject_of(plan)),
        claims=_claims(chosen.tests),
        allow_lab=chosen.allow_lab,
    )


def only_phase(plan: Plan) -> Phase:
    """The only phase that the plan gives a version.  Raises StpError when it gives one to none or to several."""
    named = [
        phase.name
        for phase in (plan.metadata.phases if plan.metadata else ())
        if not is_na(phase.version) and not is_empty(phase.version) and phase.name in set(Phase)
    ]
    if len(named) != 1:
        told = f"gives a version to {', '.join(named)}" if named else "gives no phase a version"
        raise StpError(f"{plan.path}: the plan {told}", next_step="say which one is signed off: --phase DP, TP or GA")
    return Phase(named[0])


def _claims(tests: list[Path] | None) -> tuple[Claim, ...] | None:
    if tests is None:
        return read_claims([_TESTS], Path()) if _TESTS.is_dir() else None
    return read_claims(tests, Path())


def _write(folder: Path, case: Dossier, verdict: Verdict) -> list[Path]:
    page = report(case, verdict, Linker(folder))
    contents = {"html": as_html(page), "md": as_markdown(page), "json": as_json(case, verdict)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for suffix, content in contents.items():
            (folder / f"sign-off.{suffix}").write_text(_printable(content), encoding="utf-8")
    except OSError as error:
        raise StpError(
            f"{folder}: cannot write: {error.strerror or error}", next_step="choose another --output"
        ) from error
    return [folder / f"sign-off.{suffix}" for suffix in contents]


def _tell(case: Dossier, verdict: Verdict, written: list[Path]) -> None:
    passed = sum(standing.passed for standing in case.standings)
    lines = [f"{case.plan.title}: {passed} of {len(case.standings)} scenarios passed", verdict.line]
    lines += (_item(f"{reason.what}: {reason.todo}") for reason in verdict.reasons)
    lines += (_item(f"exception: {exception}") for exception in verdict.exceptions)
    lines += (str(path) for path in written)
    lines.append(f"checksum for approvals: sha256:{case.checksum}")
    print(_printable("\n".join(lines)))


def _item(text: str) -> str:
    return fill(f"- {text}", _WIDTH, subsequent_indent="  ")


def _printable(text: str) -> str:
    """File names and YAML escapes can hold half a character, which no file and no terminal takes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
