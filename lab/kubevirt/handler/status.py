"""The VMI status virt-handler writes from the domain (kubevirt sheet §2.3, §2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.kubevirt import conditions
from lab.kubevirt.facts import phase as phase_of
from lab.kubevirt.handler.migratable import needs_block_migration
from lab.kubevirt.handler.view import HandlerView
from lab.kubevirt.vmi.status import with_phase

Json = Mapping[str, Any]
_SYNC_FAILED = "Synchronizing with the Domain failed."


def wanted(view: HandlerView, phase: str, live: Json, storage: Json, paused: tuple[str, str] | None) -> dict[str, Any]:
    """The whole VMI."""
    status = dict(view.vmi.get("status") or {})
    found = conditions.moved_to_end(conditions.of(view.vmi), live)
    found = conditions.updated(found, storage)
    found = _agent(found, view)
    found = _paused(found, view, paused)
    found = conditions.without(found, "Synchronized") if not view.failure else conditions.moved_to_end(
        found, conditions.make("Synchronized", False, _SYNC_FAILED, view.failure, transition=view.stamp)
    )  # fmt: skip
    status["conditions"] = found
    status["migrationMethod"] = "BlockMigration" if needs_block_migration(view.vmi) else "LiveMigration"
    if view.domain is not None and not view.domain.ended:
        status |= _from_domain(view, status)
    if phase != phase_of(view.vmi):
        status["phase"] = phase
        status["phaseTransitionTimestamps"] = with_phase(status, phase, view.stamp)
    return {**view.vmi, "status": status}


def interfaces(vmi: Json, pod: Json, agent: bool) -> list[dict[str, Any]]:
    """`status.interfaces`: with masquerade the address is the pod's."""
    devices = (vmi["spec"].get("domain") or {}).get("devices") or {}
    address = (pod.get("status") or {}).get("podIP", "")
    return [
        {
            "name": entry["name"],
            "interfaceName": "eth0",
            "podInterfaceName": "eth0",
            "infoSource": "domain, guest-agent" if agent else "domain",
            "ipAddress": address,
            "ipAddresses": [address],
            "linkState": "up",
            "mac": entry.get("macAddress") or _mac(vmi, number),
            "queueCount": 1,
        }
        for number, entry in enumerate(devices.get("interfaces") or ())
    ]


def _from_domain(view: HandlerView, status: Json) -> dict[str, Any]:
    domain = view.vmi["spec"].get("domain") or {}
    volumes = view.vmi["spec"].get("volumes") or ()
    found: dict[str, Any] = {
        "guestOSInfo": dict(view.agent.os) if view.agent is not None else status.get("guestOSInfo") or {},
        "machine": {"type": "pc-q35-rhel9.6.0"},
        "selinuxContext": "system_u:object_r:container_file_t:s0:c1,c2",
        "volumeStatus": [
            {"name": volume["name"], "target": f"vd{chr(ord('a') + number)}"} for number, volume in enumerate(volumes)
        ],
    }
    memory = (domain.get("memory") or {}).get("guest")
    if memory is not None:
        found["memory"] = {"guestAtBoot": memory, "guestCurrent": memory, "guestRequested": memory}
    if view.pod is not None:
        found["interfaces"] = interfaces(view.vmi, view.pod, view.agent is not None)
    return found


def _agent(found: conditions.Conditions, view: HandlerView) -> conditions.Conditions:
    if view.agent is None:
        return conditions.without(found, "AgentConnected")
    return conditions.updated(found, conditions.make("AgentConnected", True, transition=None, probe=view.stamp))


def _paused(found: conditions.Conditions, view: HandlerView, paused: tuple[str, str] | None) -> conditions.Conditions:
    if paused is None:
        return conditions.without(found, "Paused")
    if conditions.find(found, "Paused") is not None:
        return found
    return [*found, conditions.make("Paused", True, *paused, transition=view.stamp, probe=view.stamp)]


def _mac(vmi: Json, number: int) -> str:
    digits = vmi["metadata"]["uid"].replace("-", "")
    return ":".join(("02", *(digits[2 * place : 2 * place + 2] for place in range(4)), f"{number:02x}"))
