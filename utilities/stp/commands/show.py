"""`stp show`: show plans as the parser understood them.

Exit status: 0, or 2 when a file cannot be read.
"""

import argparse
from pathlib import Path

from utilities.stp.files import load_plans
from utilities.stp.output.report import GOOD
from utilities.stp.showing import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="plans or folders")


def run(chosen: argparse.Namespace) -> int:
    """Show the plans; returns the exit status.  Raises StpError when one cannot be read."""
    for plan in load_plans(chosen.paths):
        print(show(plan))
    return GOOD
