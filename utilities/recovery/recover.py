"""Taking back, on a whole cluster, what runs have left that are gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from utilities.errors import SiteError
from utilities.sharing.census import Census
from utilities.sharing.session import Sharing
from utilities.sharing.succession import Succession, TakenBack

_EVERY = 1.0  # wall seconds between two looks at runs that may be alive


def waited_for(sharing: Sharing, say: Callable[[str], object]) -> tuple[Census, frozenset[str]]:
    """Who is there, and who of them is gone: once everybody has been heard of, or not for the duration of a Lease.

    say: told who is waited for, once.
    """
    succession = sharing.succession
    census, gone = succession.look()
    first = census.stamps()

    def unheard() -> list[str]:
        known = gone | {sharing.who}
        return sorted(run for run, stamp in census.stamps().items() if first.get(run) == stamp and run not in known)

    if others := unheard():
        say(f"waiting up to {succession.duration} s to see whether they are alive: {', '.join(others)}")
    while unheard():
        succession.passing.wait(_EVERY)
        census, gone = succession.look()
    return census, gone


def recovered(
    sharing: Sharing, certain: Iterable[str] = (), say: Callable[[str], object] = lambda _: None
) -> tuple[TakenBack, ...]:
    """Take back what runs have changed that are gone; one report for each that had changed something.

    Of those who are gone, who came last is taken back first; one that another one is taking back is waited for.
    certain: the runs that are gone, as somebody knows who has killed them; nobody is waited for then. say: as for
    `waited_for`. Raises SiteError when one of them is not there or is taken back by another one, or something in a
    Lease is not readable; WaitTimeout and the suite's API errors.
    """
    named = frozenset(certain)
    if named:
        census, gone = sharing.succession.look()[0], named
        _demand_known(census, named)
    else:
        census, gone = waited_for(sharing, say)
        gone |= census.succeeded()
    return tuple(_recovered(sharing, census, gone, named))


def _demand_known(census: Census, named: frozenset[str]) -> None:
    successors = {run: census.successor(run) for run in census.journals}
    if unknown := sorted(named - census.runs() - set(successors.values())):
        raise SiteError(
            f"no run called {', '.join(unknown)} has anything here; there are: "
            f"{', '.join(sorted(census.runs())) or 'none'}",
            next_step="correct the name; --list tells what each of them has changed",
        )
    for run in sorted(named & successors.keys()):
        if successors[run] not in {"", run, *named}:
            raise SiteError(
                f"run {run} is being taken back by {successors[run]}",
                next_step="let it finish; should it be dead as well, name both",
            )


def _recovered(sharing: Sharing, census: Census, gone: frozenset[str], named: frozenset[str]) -> Iterator[TakenBack]:
    succession = sharing.succession
    for run in sorted(gone, key=census.since, reverse=True):
        found = _succeeded(succession, run, certain=run in named)
        if found is None:
            continue
        if not found.left:
            succession.forget(run)
        if found.done or found.left:
            yield found
    for lock in Census.taken(sharing.waits.rest, sharing.namespace).abandoned():
        change = lock.removesuffix("-users")
        if sharing.standing(change).take_back_abandoned(sharing.undoers.get(change, _follow_at_once)):
            found = TakenBack(", ".join(sorted(gone)) or "unknown", (change,))
            succession.told.append(str(found))
            yield found


def _succeeded(succession: Succession, run: str, *, certain: bool) -> TakenBack | None:
    """Take a run back that is gone; None when another one has done it, which is waited for, or the run is alive."""
    while True:
        census, gone = succession.look()
        if certain or run in gone:
            found = succession.take_back(run, census)
            if found is not None:
                return found
        elif run not in census.succeeded():
            return None
        succession.passing.wait(_EVERY)


def _follow_at_once(_: Mapping[str, Any]) -> None:
    """For a change that nothing has to be waited for after."""
