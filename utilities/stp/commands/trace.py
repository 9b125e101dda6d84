"""`stp trace`: hold plans and tests against each other.

Exit status: 0 no CRITICAL or HIGH finding (unsigned exclusions may be open), 1 some, 2 a file cannot be read.
"""

import argparse
from pathlib import Path

from utilities.stp.files import load_plans
from utilities.stp.output import FORMATS, Report
from utilities.stp.traceability import read_claims, trace
from utilities.stp.traceability.matrix import matrix


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument(
        "--plans", nargs="*", type=Path, default=[Path("stps")], metavar="PATH", help="plans or folders"
    )
    parser.add_argument("--tests", nargs="*", type=Path, default=[Path("tests")], metavar="PATH", help="files, folders")
    parser.add_argument("--format", choices=[*FORMATS], default="text", help="form of the findings (default: text)")


def run(chosen: argparse.Namespace) -> int:
    """Trace; returns the exit status.  Raises StpError when a plan or test cannot be read."""
    plans = load_plans(chosen.plans)
    claims = read_claims(chosen.tests, Path())
    report = Report(len(plans), trace(plans, claims))
    if chosen.format == "text":
        print(matrix(plans, claims))
    print(FORMATS[chosen.format](report), end="")
    return report.status
