"""`stp lint`: check plans against the rules of the template.

Exit status: 0 no CRITICAL or HIGH finding (unsigned items may be open), 1 some, 2 a file cannot be read or is missing.
"""

import argparse
import sys
from pathlib import Path

from utilities.stp.batch import lint_files
from utilities.stp.explaining import explain
from utilities.stp.files import plan_files
from utilities.stp.output import FORMATS
from utilities.stp.output.report import GOOD


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("paths", nargs="*", type=Path, default=[Path("stps")], metavar="PATH", help="plans or folders")
    parser.add_argument("--format", choices=[*FORMATS], default="text", help="form of the report (default: text)")
    parser.add_argument("--fragment", action="store_true", help="sections may be missing")
    parser.add_argument("--explain", metavar="RULE", help="say what a rule looks for and why, and stop")


def run(chosen: argparse.Namespace) -> int:
    """Lint, or explain a rule; returns the exit status.  Raises StpError when there is nothing to lint."""
    if chosen.explain:
        print(explain(chosen.explain), end="")
        return GOOD
    report = lint_files(plan_files(chosen.paths), fragment=chosen.fragment)
    print(FORMATS[chosen.format](report), end="")
    for each in report.unreadable:
        print(f"{each.message}\nNext: {each.todo}", file=sys.stderr)
    return report.status
