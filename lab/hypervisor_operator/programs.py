"""The programs an image of the operator may hold: the main branch, the proposal, and the proposal with the lab's fixes.

`latest` and `main` drain serially and do not know the concurrency flags; `eviction-parallelism` is pull request 353.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lab.controllers.decisions import Faults

REPOSITORY = "ghcr.io/cobaltcore-dev/openstack-hypervisor-operator"
SERIAL, PARALLEL, FIXED = "main", "eviction-parallelism", "eviction-parallelism-fixed"


@dataclass(frozen=True, slots=True)
class Program:
    """One version of the operator. `fixes` are rows in front of the product's."""

    parallel: bool
    fixes: Faults = field(default_factory=Faults)


def programs(fixes: Faults) -> Mapping[str, Program]:
    """Programs by image tag; `fixes` are those of the fixed one."""
    serial, parallel = Program(parallel=False), Program(parallel=True)
    return {"latest": serial, SERIAL: serial, PARALLEL: parallel, FIXED: Program(parallel=True, fixes=fixes)}


def image(tag: str) -> str:
    """The image of a program."""
    return f"{REPOSITORY}:{tag}"


def program_of(reference: str, known: Mapping[str, Program]) -> Program | None:
    """What an image holds, None when there is no such image."""
    repository, _, tag = reference.rpartition(":")
    return known.get(tag) if repository == REPOSITORY else None
