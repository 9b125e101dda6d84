"""`stp trace`: hold plans and tests against each other, and show which test proves what.

Exit status: 0 no CRITICAL or HIGH finding (unsigned exclusions may be open), 1 some, 2 an input cannot be read.
"""

import argparse
import sys
from pathlib import Path

from utilities.stp.files import load_plans
from utilities.stp.output import FORMATS, Report
from utilities.stp.traceability.checking import check
from utilities.stp.traceability.matrix import FORMS, matrix, read_results


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    for name, what in (("plans", "stps"), ("tests", "tests")):
        told = f"files or folders (default: {what})"
        parser.add_argument(f"--{name}", nargs="*", type=Path, default=[Path(what)], metavar="PATH", help=told)
    parser.add_argument("--format", choices=[*FORMATS], default="text", help="form of the findings (default: text)")
    parser.add_argument(
        "--matrix",
        choices=[*FORMS],
        help="write the matrix of requirements, scenarios, tests and verdicts in this form to standard output, "
        "findings to standard error",
    )
    parser.add_argument("--results", type=Path, metavar="DIR", help="results of a run: the matrix shows its verdicts")


def run(chosen: argparse.Namespace) -> int:
    """Trace; returns the exit status.  Raises StpError when a plan, a test or the results cannot be read."""
    plans = load_plans(chosen.plans)
    results = read_results(chosen.results) if chosen.results else None
    checked = check(plans, chosen.tests, Path())
    report = Report(len(plans), checked.findings, checked.silenced)
    form = chosen.matrix or ("text" if results else None)
    if form:
        sys.stdout.write(FORMS[form](matrix(plans, checked.claims, results), results))
    (sys.stderr if form else sys.stdout).write(FORMATS[chosen.format](report))
    return report.status
