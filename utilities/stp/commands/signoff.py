"""`stp signoff`: judge the results of runs against the plan that they ran, and write the page for the approvers.

Exit status: 0 ready, or ready with exceptions, 1 not ready, 2 an input cannot be read.
"""

import argparse
from pathlib import Path

_PHASES = ("DP", "TP", "GA")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command can be told."""
    everything = "what runs left (pytest --results DIR), or their Allure folders; all of them count"
    source = "source of the tests, to notice those that never ran (default: tests, if there)"
    lab = "judge results of the embedded lab; the verdict is marked lab only"
    where = "where the pages go (default: signoff in the first DIR)"
    parser.add_argument(
        "--results", nargs="+", action="extend", type=Path, required=True, metavar="DIR", help=everything
    )
    parser.add_argument("--plan", type=Path, required=True, metavar="FILE", help="the plan that was run")
    parser.add_argument("--approvals", type=Path, metavar="FILE", help="agreements and decisions (docs/sign-off.md)")
    parser.add_argument("--output", type=Path, metavar="DIR", help=where)
    parser.add_argument("--phase", choices=_PHASES, help="default: the plan's only phase")
    parser.add_argument("--allow-lab", action="store_true", help=lab)
    parser.add_argument("--tests", nargs="*", type=Path, metavar="PATH", help=source)


def run(chosen: argparse.Namespace) -> int:
    """Imported late: reading results takes longer to import than linting a plan takes."""
    from utilities.stp.signoff.command import sign_off

    return sign_off(chosen)
