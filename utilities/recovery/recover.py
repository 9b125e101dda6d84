"""Taking back, on a whole cluster, what runs have left that are gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from utilities.errors import SiteError
from utilities.sharing.census import Census
from utilities.sharing.session import Sharing
from utilities.sharing.succession import TakenBack

_EVERY = 1.0  # wall seconds between two looks at runs that may be alive


def waited_for(sharing: Sharing) -> tuple[Census, frozenset[str]]:
    """Who is there, and who of them is gone: once everybody has been heard of, or not for the duration of a Lease."""
    succession = sharing.succession
    first, gone = succession.look()
    census, before = first, first.stamps()
    while any(before.get(run) == stamp for run, stamp in census.stamps().items() if run not in gone | {sharing.who}):
        succession.passing.wait(_EVERY)
        census, gone = succession.look()
    return census, gone


def recovered(sharing: Sharing, certain: Iterable[str] = ()) -> tuple[TakenBack, ...]:
    """Take back what runs have changed that are gone; one report for each that had changed something.

    certain: the runs that are gone, as somebody knows who has killed them; nobody is waited for then. Raises SiteError
    when one of them is not there, or something in a Lease is not readable; WaitTimeout and the suite's API errors.
    """
    named = frozenset(certain)
    if named:
        census, gone = sharing.succession.look()[0], named
        if unknown := sorted(named - census.runs()):
            raise SiteError(
                f"no run called {', '.join(unknown)} has anything here; there are: "
                f"{', '.join(sorted(census.runs())) or 'none'}",
                next_step="correct the name; --list tells what each of them has changed",
            )
    else:
        census, gone = waited_for(sharing)
    return tuple(_recovered(sharing, census, gone))


def _recovered(sharing: Sharing, census: Census, gone: frozenset[str]) -> Iterator[TakenBack]:
    succession = sharing.succession
    for run in sorted(gone):
        found = succession.take_back(run, census)
        if found is None:
            continue  # another one is about it, or it is alive after all
        if not found.left:
            succession.forget(run)
        if found.done or found.left:
            yield found
    for lock in Census.taken(sharing.waits.rest, sharing.namespace).abandoned():
        change = lock.removesuffix("-users")
        if sharing.standing(change).take_back_abandoned(sharing.undoers[change]):
            found = TakenBack(", ".join(sorted(gone)) or "unknown", (change,))
            succession.told.append(str(found))
            yield found
