"""`python -m utilities.recovery`: take back what a run has left on a cluster that was killed.

Runs that are alive are left alone: those that renew their Lease. To see that takes up to a minute; `--now` names a run
that is certainly dead. Exit status: 0 nothing is left of runs that are gone, 1 something is (with --list: something is
there of any run), 2 the site file or the site is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from utilities.clients import connected
from utilities.errors import SuiteError
from utilities.evidence.redaction import redact_text
from utilities.kubevirt.actor import Actor
from utilities.nova import Nova, connected_nova
from utilities.recovery.recover import recovered
from utilities.recovery.undoers import undoers
from utilities.sharing.census import Census
from utilities.sharing.holders import Holders
from utilities.sharing.session import Sharing
from utilities.site import load_site

GOOD, LEFT, WRONG_INPUT = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; returns the exit status."""
    title, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(prog="python -m utilities.recovery", description=title, epilog=rest)
    parser.add_argument("--site", required=True, type=Path, metavar="FILE", help="the site file of the run")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="only tell which runs are there and what they have changed")
    what.add_argument("--now", action="append", default=[], metavar="RUN", help="a run that is certainly dead")
    chosen = parser.parse_args(arguments)
    try:
        with ExitStack() as stack:
            return _run(_sharing(chosen.site, stack), chosen)
    except SuiteError as error:
        print(redact_text(error.message()), file=sys.stderr)
        return WRONG_INPUT


def _sharing(file: Path, stack: ExitStack) -> Sharing:
    site = load_site(file)
    actor = Actor(site, stack.enter_context(connected(site)).admin)
    clouds: list[Nova] = []

    def nova() -> Nova:
        if not clouds:
            clouds.append(stack.enter_context(connected_nova(site, "recovery")))
        return clouds[0]

    return Sharing(actor.waits, site.kubernetes.lock_namespace, undoers(actor, nova))


def _run(sharing: Sharing, chosen: argparse.Namespace) -> int:
    if chosen.list:
        lines = list(_told(Census.taken(sharing.waits.rest, sharing.namespace)))
        _print(lines or ["no run has anything here"])
        return LEFT if lines else GOOD
    found = recovered(sharing, chosen.now, say=lambda text: print(text, file=sys.stderr, flush=True))
    _print([str(one) for one in found] or ["nothing is left of runs that are gone"])
    return LEFT if any(one.left for one in found) else GOOD


def _told(census: Census) -> Iterator[str]:
    for run in sorted(census.runs()):
        holder = census.successor(run)
        locks = sorted(name for name, lock in census.locks.items() if run in Holders.of(lock).stamps())
        entries = census.entries(run)
        about = {run: "", "": "; nobody is on its journal"}.get(holder, f"; being taken back by {holder}")
        yield f"run {run}: {len(entries)} changes, locks: {', '.join(locks) or 'none'}{about if entries else ''}"
        yield from (f"  {kept}" for kept in entries.values())
    yield from (f"{lock}: a change that nobody relies on any more" for lock in census.abandoned())


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        print(redact_text(line))


if __name__ == "__main__":
    sys.exit(main())
