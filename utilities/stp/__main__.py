"""`stp`: test plans on the command line.

Exit status: 0 nothing blocks (unsigned items may be open), 1 a CRITICAL or HIGH finding, 2 something cannot be read.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill

from utilities.stp.errors import StpError
from utilities.stp.finding import Finding, Severity
from utilities.stp.linting import lint, subject_of
from utilities.stp.parsing import find_plans, load_plan
from utilities.stp.rules import RULES
from utilities.stp.showing import show
from utilities.stp.traceability import read_claims, trace
from utilities.stp.traceability.matrix import matrix

GOOD, BAD, UNREADABLE = 0, 1, 2
_WIDTH = 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    chosen = _parser().parse_args(arguments)
    try:
        if chosen.command == "lint":
            return _explain(chosen.explain) if chosen.explain else _lint(chosen.paths, fragment=chosen.fragment)
        if chosen.command == "trace":
            return _trace(chosen.plans, chosen.tests)
        return _show(chosen.paths)
    except StpError as error:
        return _unreadable(error)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="stp", description="Read, check and trace test plans.", epilog=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    linting = commands.add_parser("lint", help="check plans against the rules of the template")
    linting.add_argument("paths", nargs="*", type=Path, default=[Path("stps")], metavar="PATH", help="plans or folders")
    linting.add_argument("--fragment", action="store_true", help="sections may be missing")
    linting.add_argument("--explain", metavar="RULE", help="say what a rule looks for, and stop")
    tracing = commands.add_parser("trace", help="hold plans and tests against each other")
    tracing.add_argument("--plans", nargs="*", type=Path, default=[Path("stps")], metavar="PATH")
    tracing.add_argument("--tests", nargs="*", type=Path, default=[Path("tests")], metavar="PATH")
    showing = commands.add_parser("show", help="show plans as the parser understood them")
    showing.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    return parser


def _lint(paths: Iterable[Path], *, fragment: bool) -> int:
    """Every plan is linted, also behind an unreadable one."""
    found: list[Finding] = []
    files = _files(paths)
    unreadable = 0
    for file in files:
        try:
            findings = lint(subject_of(load_plan(file), fragment=fragment))
        except StpError as error:
            _unreadable(error)
            unreadable += 1
            continue
        found += findings
        _print(findings)
    print(_summary(len(files) - unreadable, found, unreadable))
    if unreadable:
        return UNREADABLE
    return BAD if any(finding.blocks for finding in found) else GOOD


def _trace(plans: Iterable[Path], tests: Iterable[Path]) -> int:
    read = [load_plan(file) for file in _files(plans)]
    claims = read_claims(tests, Path())
    findings = trace(read, claims)
    print(matrix(read, claims))
    _print(findings)
    print(_summary(len(read), findings))
    return BAD if any(finding.blocks for finding in findings) else GOOD


def _show(paths: Iterable[Path]) -> int:
    for file in _files(paths):
        print(show(load_plan(file)))
    return GOOD


def _explain(name: str) -> int:
    rule = next((rule for rule in RULES if rule.id == name), None)
    if rule is None:
        near = ", ".join(each.id for each in RULES if name.split("-")[0] in each.id) or "stp lint --help"
        return _unreadable(StpError(f"no rule {name}", next_step=f"one of: {near}"))
    print(f"{rule.id} ({rule.severity.name}, {rule.kind.value})\n\n{rule.explanation}")
    return GOOD


def _files(paths: Iterable[Path]) -> list[Path]:
    """The plan files; raises StpError for a folder without any."""
    files: list[Path] = []
    for path in paths:
        below = list(find_plans(path))
        if not below:
            raise StpError(f"{path}:1: no plan in this folder", next_step="name a Markdown file or a folder with plans")
        files += below
    return list(dict.fromkeys(files))


def _unreadable(error: StpError) -> int:
    print(error.message(), file=sys.stderr)
    return UNREADABLE


def _print(findings: Iterable[Finding]) -> None:
    for finding in findings:
        grade = "open" if finding.open else finding.severity.name
        words = f" (matched: {', '.join(finding.matched)})" if finding.matched else ""
        print(f"{finding.path}:{finding.line}: {grade} {finding.id}")
        print(fill(f"{finding.what}{words}: {finding.todo}", _WIDTH, initial_indent="    ", subsequent_indent="    "))


def _summary(plans: int, findings: Iterable[Finding], unreadable: int = 0) -> str:
    counts = Counter("open" if finding.open else finding.severity.name.lower() for finding in findings)
    names = [*(severity.name.lower() for severity in reversed(Severity)), "open"]
    told = ", ".join(f"{counts[name]} {name}" for name in names if counts[name]) or "no finding"
    refused = f", {unreadable} file{'s' if unreadable != 1 else ''} could not be read" if unreadable else ""
    return f"{plans} plan{'s' if plans != 1 else ''}: {told}{refused}"


if __name__ == "__main__":
    sys.exit(main())
