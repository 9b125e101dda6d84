"""The files a command was pointed at."""

from collections.abc import Iterable
from pathlib import Path

from utilities.stp.errors import StpError
from utilities.stp.parsing import find_plans, load_plan
from utilities.stp.plan import Plan


def plan_files(paths: Iterable[Path]) -> list[Path]:
    """The plan files at and below the paths, each once; raises StpError for a folder without any."""
    files: list[Path] = []
    for path in paths:
        below = list(find_plans(path))
        if not below:
            raise StpError(f"{path}:1: no plan in this folder", next_step="name a Markdown file or a folder with plans")
        files += below
    return list(dict.fromkeys(files))


def load_plans(paths: Iterable[Path]) -> list[Plan]:
    """The plans at and below the paths.  Raises StpError when one cannot be read."""
    return [load_plan(file) for file in plan_files(paths)]
