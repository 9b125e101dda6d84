"""What the guest agent tells: guestosinfo, userlist, filesystemlist (kubevirt sheet §1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.errors import ApiError
from lab.kubevirt.handler.guests import Agent
from lab.kubevirt.subresources.asking import Ask, vmi_conflict, vmi_missing

Json = Mapping[str, Any]
_COMMANDS = ("guest-ping", "guest-info", "guest-shutdown", "guest-exec", "guest-get-osinfo", "guest-set-time")


def check(ask: Ask) -> None:
    """Raise what virt-api finds wrong; the caller sees it as 500 and plain text, 404 included."""
    if ask.vmi is None:
        raise vmi_missing(ask.name)
    if ask.vmi_phase != "Running":
        raise vmi_conflict(ask.name, "VMI is not running")
    if not ask.has("AgentConnected"):
        raise vmi_conflict(ask.name, "VMI does not have guest agent connected")


def guest_os_info(agent: Agent) -> Json:
    """VirtualMachineInstanceGuestAgentInfo."""
    return {
        "guestAgentVersion": agent.version,
        "hostname": agent.hostname,
        "os": dict(agent.os),
        "timezone": "UTC, 0",
        "supportedCommands": [{"name": name, "enabled": True} for name in _COMMANDS],
        "fsInfo": {"disks": [_ROOT]},
    }


def user_list() -> Json:
    """VirtualMachineInstanceGuestOSUserList: nobody is logged in at the console."""
    return {"items": []}


def file_systems() -> Json:
    """VirtualMachineInstanceFileSystemList."""
    return {"items": [_ROOT]}


def as_text(error: ApiError) -> str:
    """The plain body of the 500."""
    return error.message


_ROOT = {
    "diskName": "vda",
    "mountPoint": "/",
    "fileSystemType": "btrfs",
    "usedBytes": 1_200_000_000,
    "totalBytes": 5_100_000_000,
}
