"""Name of the feature gate for vGPU live migration, by KubeVirt version."""

from __future__ import annotations

import re
from dataclasses import dataclass

from utilities.errors import Blocked

HOOK_GATE = "LibvirtHooksServerAndClient"
"""Gate of the hook server that gives the target guest its own mdev; Beta in 1.9, so on unless disabled (sheet §3.1)."""


@dataclass(frozen=True, slots=True)
class GateName:
    """From KubeVirt version `since` (major, minor) on, the gate is called `name`."""

    since: tuple[int, int]
    name: str


GATE_NAMES = (GateName(since=(1, 9), name="VGPULiveMigration"),)  # first shipped in v1.9.0, kubevirt sheet §3.1
"""Oldest first. A version older than the first row has no such gate at all."""

PRODUCT_GATE_NAMES = ("MDevVGPULiveMigration",)
"""Names some product builds use instead; a site that runs one says so in `product.gate`."""

KNOWN_GATES = tuple(row.name for row in GATE_NAMES) + PRODUCT_GATE_NAMES

_VERSION = re.compile(r"^v?(\d+)\.(\d+)")


def gate_name(kubevirt_version: str) -> str:
    """The gate of a KubeVirt version as it reports itself, e.g. `v1.9.0` or `1.9.0-94.el9`.

    Raises Blocked for a version without the gate, and for text that is no version.
    """
    match = _VERSION.match(kubevirt_version)
    if match is None:
        raise Blocked(
            f"cannot tell the vGPU migration gate: {kubevirt_version!r} is not a KubeVirt version",
            next_step="name the gate in the site file: product.gate",
        )
    version = (int(match[1]), int(match[2]))
    known = [row.name for row in GATE_NAMES if row.since <= version]
    if not known:
        first = ".".join(map(str, GATE_NAMES[0].since))
        raise Blocked(
            f"KubeVirt {kubevirt_version} has no feature gate for vGPU live migration; it came with {first}",
            next_step="use a newer product version, or name the gate in the site file: product.gate",
        )
    return known[-1]
