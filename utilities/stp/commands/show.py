"""`stp show`: show plans as the parser understood them.

Without option as Markdown in the template's manner, which reads back as the same plan; with --outline as lines of
number and meaning.  Exit status: 0, or 2 when a file cannot be read.
"""

import argparse
from pathlib import Path

from utilities.stp.files import load_plans
from utilities.stp.outlining import outline
from utilities.stp.output.report import GOOD
from utilities.stp.showing import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="plans or folders")
    parser.add_argument("--outline", action="store_true", help="source line and meaning of everything that was read")


def run(chosen: argparse.Namespace) -> int:
    """Show the plans; returns the exit status.  Raises StpError when one cannot be read."""
    for plan in load_plans(chosen.paths):
        print(outline(plan) if chosen.outline else show(plan), end="")
    return GOOD
