"""Command-line options and marks of the suite."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from utilities.errors import SiteError

N = TypeVar("N", int, float)

MARKS = (
    "scenario(*ids, caught_by=None): scenarios of the plan this test proves, and lab faults that must turn it red",
    "needs(**needs): what the site must offer, such as needs(gpu_nodes=2, passthrough=1); unmet: the test is blocked",
    "known_issue(what): what the product is known to break; the verdict stays, and everything says this beside it",
    "exclusive: its module changes what the whole cluster shares, and has it alone where others run too",
    "tier1: one feature alone (the plan's tier; checked against it)",
    "tier2: a complete user workflow (the plan's tier; checked against it)",
    "tier3: long, expensive or special (the plan's tier; checked against it)",
)


def add_options(parser: pytest.Parser) -> None:
    """Register everything a run can be told."""
    group = parser.getgroup("plans", "migration test plans")
    group.addoption(
        "--site", default="lab", metavar="lab|FILE", help="embedded lab, or a site file (docs/run-on-a-cluster.md)"
    )
    group.addoption("--lab-profile", default="full", metavar="NAME", help="shape of the lab (python -m lab profiles)")
    group.addoption(
        "--lab-fault",
        action="append",
        default=[],
        metavar="NAME",
        help="break the lab in one way (python -m lab faults)",
    )
    group.addoption("--lab-seed", default="1", metavar="N", help="seed of everything random in the lab")
    group.addoption("--lab-time-scale", default=None, metavar="X", help="product seconds per wall second")
    group.addoption(
        "--lab-operator", default=None, metavar="PROGRAM", help="hypervisor operator that the lab simulates"
    )
    group.addoption(
        "--lab-external",
        action="append",
        default=[],
        metavar="SYSTEM[=PATH]",
        help="let the lab run a real binary instead of simulating it (docs/plug-in-an-operator.md)",
    )
    group.addoption(
        "--lab-shared", action="store_true", help="one lab for all workers, which take turns on it as on a real cluster"
    )
    group.addoption(
        "--shard", default=None, metavar="INDEX/COUNT", help="run one part of several; the index counts from 0"
    )
    group.addoption(
        "--results", type=Path, default=None, metavar="DIR", help="where results go (default: results/<time>)"
    )
    group.addoption(
        "--dry-run", action="store_true", help="print the changes the selected tests would make, run nothing"
    )


def read_numbers(option: argparse.Namespace) -> None:
    """Put the values of the options that are numbers in the place of their text.

    pytest would do the same, and end with its own status at a wrong one. Raises SiteError.
    """
    option.lab_seed = _number(int, option.lab_seed, "--lab-seed", "a whole number")
    if option.lab_time_scale is not None:
        scale = _number(float, option.lab_time_scale, "--lab-time-scale", "a positive number")
        if not 0 < scale < math.inf:
            raise _not_a("--lab-time-scale", option.lab_time_scale, "a positive number")
        option.lab_time_scale = scale


def _number(kind: Callable[[str], N], text: str, name: str, what: str) -> N:
    try:
        return kind(text)
    except ValueError as error:
        raise _not_a(name, text, what) from error


def _not_a(name: str, text: str, what: str) -> SiteError:
    return SiteError(f"{name} {text}: not {what}", next_step=f"give {name} {what}, or leave it out")


def add_marks(config: pytest.Config) -> None:
    """Register the marks, so that --strict-markers knows them."""
    for mark in MARKS:
        config.addinivalue_line("markers", mark)


def runs_plans(config: pytest.Config) -> bool:
    """True when the run was pointed at the plans' tests (and not at unit tests of the suite itself)."""
    tests = config.rootpath / "tests"
    for argument in config.args:
        path = (config.invocation_params.dir / argument.split("::")[0]).resolve()
        if path == tests or tests in path.parents or path in tests.parents:
            return True
    return False
