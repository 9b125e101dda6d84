"""Many plans linted at once, on all cores when there are enough of them to pay for starting processes."""

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path

from utilities.stp.errors import StpError
from utilities.stp.linting import Judgement, judge, subject_of
from utilities.stp.output.report import Report, Unreadable
from utilities.stp.parsing import load_plan

_WORTH_SHARING = 24
"""Plans; below that, a process takes longer to start than it saves."""


def lint_files(files: Sequence[Path], *, fragment: bool = False) -> Report:
    """Every plan is linted, also behind one that cannot be read."""
    outcomes = list(_outcomes(files, fragment))
    judged = [each for each in outcomes if isinstance(each, Judgement)]
    return Report(
        plans=len(judged),
        findings=tuple(finding for each in judged for finding in each.findings),
        silenced=tuple(pair for each in judged for pair in each.silenced),
        unreadable=tuple(each for each in outcomes if isinstance(each, Unreadable)),
    )


def _outcomes(files: Sequence[Path], fragment: bool) -> Iterator[Judgement | Unreadable]:
    """In the order of the files."""
    one = partial(_outcome, fragment=fragment)
    processes = min(os.cpu_count() or 1, len(files) // (_WORTH_SHARING // 2))
    if processes < 2:
        yield from map(one, files)
        return
    # a fork is the faster start; it would also copy the locks of other threads, so it is for callers without any
    method = "fork" if "fork" in get_all_start_methods() and threading.active_count() == 1 else "spawn"
    with ProcessPoolExecutor(processes, mp_context=get_context(method)) as pool:
        yield from pool.map(one, files, chunksize=max(1, len(files) // (processes * 4)))


def _outcome(file: Path, *, fragment: bool) -> Judgement | Unreadable:
    try:
        return judge(subject_of(load_plan(file), fragment=fragment))
    except StpError as error:
        return Unreadable(str(file), str(error), error.next_step)
