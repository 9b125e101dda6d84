"""Ways to make a migration slow, busy or fail by product means, so that something can be done or seen meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from utilities.guest.workload import MemoryLoad
from utilities.kubevirt.policies import Policies
from utilities.vgpu.machine import Machine

CRAWL: Mapping[str, Any] = {
    "bandwidthPerMigration": "8Mi",
    "completionTimeoutPerGiB": 0,
    "allowWorkloadDisruption": False,
}
"""Policy so slow that the idle vGPU alone dirties more: such a migration runs until somebody ends it."""
PER_GIGABYTE = 20
"""Product seconds that `overwhelmed` allows a copy for each decimal GB of guest memory."""
FAIL_SOURCE = "kubevirt.io/func-test-force-launcher-migration-failure"
"""Annotation on a VMI: its source launcher fails every migration (kubevirt sheet §4.11)."""


@contextmanager
def overwhelmed(vm: Machine, policies: Policies, **settings: Any) -> Iterator[None]:
    """The guest writes more than its policy lets a migration copy, and the time for the copy is short."""
    MemoryLoad.start(vm.shell, mebibytes=256)
    slow = {"bandwidthPerMigration": "64Mi", "completionTimeoutPerGiB": PER_GIGABYTE}
    with policies.matching({"app": vm.name}, **slow, **settings):
        yield
