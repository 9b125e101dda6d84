"""Scenarios by number, and sets of those of the vGPU migration plan that stand or fall together."""

from __future__ import annotations


def scenarios(*numbers: int) -> frozenset[str]:
    """Ids of the vGPU migration plan by number."""
    return frozenset(f"VGPU-{number:02}" for number in numbers)


def drains(*numbers: int) -> frozenset[str]:
    """Ids of the node drain plan by number."""
    return frozenset(f"DRAIN-{number:02}" for number in numbers)


ALL_MOVES = scenarios(*range(3, 26), 31)
"""Everything that needs a VM to be migratable."""
UNDISTURBED = scenarios(7, 8, 11, 12, 13, 18)
"""What judges the continuity of a guest over a move that succeeds."""
BY_POLICY = scenarios(12, 13, 14, 15, 16, 17, 21)
"""What shapes its migrations by a policy."""
EVACUATED = drains(*range(1, 13), *range(16, 26))
"""What needs VMs to leave their nodes by migration."""
