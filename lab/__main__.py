"""`python -m lab`: start a lab that stands alone, or ask what labs there are.

Exit status: 0 it ended as asked, 1 something in it broke, 2 the input is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from lab.choice import Choice, ChoiceError
from lab.faults import CATALOGUE, UnknownFaultError, named
from lab.profiles import ProfileError, load, names
from lab.systems import SYSTEMS

_DEFAULT = "full"
_FAST = 100.0  # product seconds per wall second


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except BrokenPipeError:  # whoever read our list has seen enough
        sys.stdout = None
        return 0
    except (ChoiceError, ProfileError, UnknownFaultError) as error:
        print(error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lab", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    up = commands.add_parser("up", help="start a lab and stay up until Ctrl-C")
    _add_choice(up)
    up.add_argument("--directory", type=Path, help="where to write kubeconfigs and the site file (default: a new one)")
    up.add_argument("--until-stdin-closes", action="store_true", help="end when standard input ends (for programs)")
    up.add_argument("--verbose", action="store_true", help="log what controllers do")
    up.set_defaults(command=_up)
    check = commands.add_parser("check", help="say whether these choices exist, start nothing")
    _add_choice(check)
    check.set_defaults(command=_check)
    commands.add_parser("profiles", help="list cluster shapes").set_defaults(command=_profiles)
    commands.add_parser("faults", help="list the ways to break it").set_defaults(command=_faults)
    return parser


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--profile", default=_DEFAULT, help=f"cluster shape (default: {_DEFAULT})")
    parser.add_argument("--fault", action="append", default=[], help="break the product in one named way; repeatable")
    parser.add_argument("--seed", type=int, default=1, help="seed of everything random (default: 1)")
    parser.add_argument(
        "--time-scale",
        type=_positive,
        help=f"product seconds per wall second (default: {_FAST:.0f}; 1 beside a real binary)",
    )
    parser.add_argument("--operator", metavar="PROGRAM", help="hypervisor operator to simulate")
    real = ", ".join(system.name for system in SYSTEMS.replaceable)
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="SYSTEM",
        help=f"leave it out and print what a real one needs; repeatable ({real})",
    )
    parser.add_argument("--cortex-url", metavar="URL", help="where a real Cortex answers that was left out")
    parser.add_argument(
        "--external",
        action="append",
        default=[],
        metavar="SYSTEM[=PATH]",
        help=f"run a real binary instead of simulating it (default: found in PATH); repeatable ({real})",
    )


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def _up(options: argparse.Namespace) -> int:
    choice = _choice(options)
    logging.basicConfig(level=logging.INFO if options.verbose else logging.WARNING, stream=sys.stderr)
    if options.directory:
        asyncio.run(_serve(choice, options, options.directory))
        return 0
    with tempfile.TemporaryDirectory(prefix="lab-") as directory:  # holds tokens: it goes with the lab
        asyncio.run(_serve(choice, options, Path(directory)))
    return 0


async def _serve(choice: Choice, options: argparse.Namespace, directory: Path) -> None:
    from lab.cluster import Cluster
    from lab.garbage import collect_seldom

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    cluster = Cluster(choice)
    try:
        ready = await cluster.start(directory)
        collect_seldom()
        print(f"kubernetes: {cluster.url}")
        print(f"seed: {choice.seed}")
        print(f"kubeconfig: {ready.users.admin}")
        print(f"kubeconfig of user tester: {ready.users.tester}")
        for line in ready.tells:
            print(line)
        print(f"site: {ready.site}", flush=True)
        if options.until_stdin_closes:
            waiting = threading.Thread(target=_wait_for_end_of_input, args=(loop, stop), daemon=True)
            waiting.start()  # not one of the loop's own threads: whatever else ends us must not wait for it
        await cluster.until(stop)
    finally:
        await cluster.stop()


def _wait_for_end_of_input(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    with suppress(RuntimeError):  # the loop is over already
        loop.call_soon_threadsafe(stop.set)


def _choice(options: argparse.Namespace) -> Choice:
    choice = Choice(
        load(options.profile),
        named(options.fault, CATALOGUE),
        options.seed,
        options.time_scale or (1.0 if options.without or options.external else _FAST),
        operator=options.operator,
        without=frozenset(options.without),
        externals=SYSTEMS.binaries(options.external),
        cortex_url=options.cortex_url,
    )
    SYSTEMS.wanted(choice)
    return choice


def _check(options: argparse.Namespace) -> int:
    _choice(options)
    return 0


def _profiles(_: argparse.Namespace) -> int:
    for name in names():
        print(f"{name:<16} {load(name).description}")
    return 0


def _faults(_: argparse.Namespace) -> int:
    for fault in CATALOGUE:
        print(f"{fault.name:<32} {fault.breaks}  [{', '.join(sorted(fault.scenarios))}]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
