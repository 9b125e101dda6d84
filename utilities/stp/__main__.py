"""`stp`: test plans on the command line.

Exit status of every command: 0 nothing blocks (unsigned items may be open), 1 something does, 2 an input is unreadable.
"""

import argparse
import sys
from collections.abc import Sequence
from types import ModuleType

from utilities.stp.commands import lint, new, show, signoff, trace
from utilities.stp.errors import StpError
from utilities.stp.output.report import UNREADABLE

_COMMANDS: dict[str, ModuleType] = {"new": new, "lint": lint, "trace": trace, "show": show, "signoff": signoff}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="stp", description="Read, check and trace test plans.", epilog=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, command in _COMMANDS.items():
        title, _, rest = (command.__doc__ or "").partition("\n")
        what = title.partition(": ")[2]
        command.add_arguments(commands.add_parser(name, help=what, description=what, epilog=rest))
    chosen = parser.parse_args(arguments)
    try:
        status: int = _COMMANDS[chosen.command].run(chosen)
    except StpError as error:
        print(error.message(), file=sys.stderr)
        return UNREADABLE
    return status


if __name__ == "__main__":
    sys.exit(main())
