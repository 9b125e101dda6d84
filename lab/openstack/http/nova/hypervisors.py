"""GET /os-hypervisors, with UUIDs as from 2.53 on (openstack sheet §6)."""

from __future__ import annotations

from typing import Any

from lab.openstack.compute.hosts import Host
from lab.openstack.http.bodies import is_uuid, true
from lab.openstack.http.calls import Call
from lab.openstack.http.paging import listing, page
from lab.openstack.http.replies import Reply
from lab.openstack.refusals import NotSimulatedError, RefusalError

_VERSION = 8_002_002  # of QEMU, as libvirt counts it


def index(call: Call) -> Reply:
    """Ids and names."""
    call.demand("os-hypervisors:list")
    return _list(call, detailed=False)


def detail(call: Call) -> Reply:
    """Everything."""
    call.demand("os-hypervisors:list-detail")
    return _list(call, detailed=True)


def show(call: Call) -> Reply:
    """One."""
    _demand_uuids(call)
    call.demand("os-hypervisors:show")
    wanted = call.name("id")
    if wanted == "":
        raise RefusalError(404, "The resource could not be found.")
    if not is_uuid(wanted):
        raise RefusalError(400, f"Invalid uuid {wanted}")
    host = call.cloud.state.host_by_hypervisor(wanted)
    if host is None:
        raise RefusalError(404, f"Hypervisor with ID '{wanted}' could not be found.")
    return Reply(200, {"hypervisor": _view(call, host, detailed=True)})


def _list(call: Call, *, detailed: bool) -> Reply:
    _demand_uuids(call)
    hosts = sorted(call.cloud.state.hosts.values(), key=lambda host: host.number)
    pattern = call.query.get("hypervisor_hostname_pattern")
    if pattern is not None:
        if "limit" in call.query or "marker" in call.query:
            raise RefusalError(400, "Paging over hypervisors with the hypervisor_hostname_pattern query parameter is "
                                    "not supported.")  # fmt: skip
        hosts = [host for host in hosts if pattern in host.node]
        if not hosts:
            raise RefusalError(404, f"No hypervisor matching '{pattern}' could be found.")
    shown, links = page(call, hosts, lambda host: host.hypervisor_id)
    return Reply(200, listing("hypervisors", [_view(call, host, detailed=detailed) for host in shown], links))


def _demand_uuids(call: Call) -> None:
    if not call.at(53):
        raise NotSimulatedError("os-hypervisors below microversion 2.53")


def _view(call: Call, host: Host, *, detailed: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": host.hypervisor_id,
        "hypervisor_hostname": host.node,
        "state": "up" if host.alive else "down",
        "status": "disabled" if host.disabled else "enabled",
    }
    if true(call.query.get("with_servers")):
        servers = call.cloud.state.servers_on(host.name)
        if servers or call.at(75):
            body["servers"] = [{"name": server.name, "uuid": server.id} for server in servers]
    if not detailed:
        return body
    body |= {
        "hypervisor_type": "QEMU",
        "hypervisor_version": _VERSION,
        "host_ip": host.ip,
        "service": {"id": host.service_id, "host": host.name, "disabled_reason": host.disabled_reason},
    }
    return {**body, "uptime": None} if call.at(88) else {**body, **_resources(call, host)}


def _resources(call: Call, host: Host) -> dict[str, Any]:
    """What 2.88 took away."""
    servers = call.cloud.state.servers_on(host.name)
    ram = sum(server.flavor.ram for server in servers)
    disk = sum(server.flavor.disk for server in servers if server.disk == "local")
    return {
        "cpu_info": {"arch": "x86_64", "model": "Cascadelake-Server", "vendor": "Intel"},
        "vcpus": host.vcpus,
        "vcpus_used": sum(server.flavor.vcpus for server in servers),
        "memory_mb": host.ram,
        "memory_mb_used": ram,
        "free_ram_mb": host.ram - ram,
        "local_gb": host.disk,
        "local_gb_used": disk,
        "free_disk_gb": host.disk - disk,
        "disk_available_least": host.disk - disk,
        "current_workload": 0,
        "running_vms": len(servers),
    }
