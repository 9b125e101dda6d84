"""The status of a server follows from its vm_state and task_state (openstack sheet §3, status table)."""

from __future__ import annotations

from collections.abc import Mapping

DEFAULT = "default"
_RESIZE = {
    "resize_prep": "RESIZE",
    "resize_migrating": "RESIZE",
    "resize_migrated": "RESIZE",
    "resize_finish": "RESIZE",
}
_REBUILD = {
    "rebuilding": "REBUILD",
    "rebuild_block_device_mapping": "REBUILD",
    "rebuild_spawning": "REBUILD",
}
STATUSES: Mapping[str, Mapping[str, str]] = {
    "active": {
        DEFAULT: "ACTIVE",
        "rebooting": "REBOOT",
        "reboot_pending": "REBOOT",
        "reboot_started": "REBOOT",
        "rebooting_hard": "HARD_REBOOT",
        "reboot_pending_hard": "HARD_REBOOT",
        "reboot_started_hard": "HARD_REBOOT",
        "updating_password": "PASSWORD",
        "migrating": "MIGRATING",
        **_RESIZE,
        **_REBUILD,
    },
    "building": {DEFAULT: "BUILD"},
    "stopped": {DEFAULT: "SHUTOFF", **_RESIZE, **_REBUILD},
    "resized": {DEFAULT: "VERIFY_RESIZE", "resize_reverting": "REVERT_RESIZE"},
    "paused": {DEFAULT: "PAUSED", "migrating": "MIGRATING"},
    "suspended": {DEFAULT: "SUSPENDED"},
    "rescued": {DEFAULT: "RESCUE"},
    "error": {DEFAULT: "ERROR", **_REBUILD},
    "deleted": {DEFAULT: "DELETED"},
    "soft-delete": {DEFAULT: "SOFT_DELETED"},
    "shelved": {DEFAULT: "SHELVED"},
    "shelved_offloaded": {DEFAULT: "SHELVED_OFFLOADED"},
}


def status_of(vm_state: str, task_state: str | None) -> str:
    """The status shown for these states."""
    known = STATUSES[vm_state]
    return known.get(task_state or DEFAULT, known[DEFAULT])


def states_of(status: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The vm_states and task_states that a list asked for this status looks for; None for a status there is not.

    Task states matter only to a status that no vm_state shows by default: `ACTIVE` also finds servers that migrate.
    """
    wanted = status.upper()
    vm_states, task_states = set(), set()
    for vm_state, known in STATUSES.items():
        for task, shown in known.items():
            if shown == wanted:
                vm_states.add(vm_state)
                task_states.add(task)
    if not vm_states:
        return None
    return frozenset(vm_states), frozenset() if DEFAULT in task_states else frozenset(task_states)
