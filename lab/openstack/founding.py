"""The cloud as it is at the start: hosts, flavors, groups and servers of its shape."""

from __future__ import annotations

from dataclasses import replace

from lab.openstack.compute.claims import Claims
from lab.openstack.compute.flavors import Flavor
from lab.openstack.compute.hosts import Aggregate, Group, Host
from lab.openstack.compute.servers import NO_STATE, PAUSED, RUNNING, SHUTDOWN, Fault, Server
from lab.openstack.compute.state import State
from lab.openstack.identity.directory import ADMIN, DEMO, Directory, User
from lab.openstack.media import Media
from lab.openstack.placement.providers import Inventories, Inventory, Provider
from lab.openstack.shape import CloudShape, HostShape, ServerShape

_POWER = {"active": RUNNING, "stopped": SHUTDOWN, "paused": PAUSED, "suspended": SHUTDOWN, "error": NO_STATE}
_RESERVED_RAM = 512  # MiB: reserved_host_memory_mb
_AGE = 3600.0  # seconds that servers exist before the lab starts


class ShapeError(Exception):
    """A shape whose parts do not fit together; the message says which."""


def found(
    shape: CloudShape, state: State, inventories: Inventories, claims: Claims, directory: Directory, media: Media
) -> None:
    """Fill an empty cloud. Raises ShapeError."""
    for number, flavor in enumerate(shape.flavors, 1):
        state.flavors[flavor.id] = Flavor(number, flavor.id, flavor.name, flavor.vcpus, flavor.ram, flavor.disk,
                                          dict(flavor.extra_specs))  # fmt: skip
    for number, host in enumerate(shape.hosts, 1):
        _add_host(state, inventories, host, number)
    for number, aggregate in enumerate(shape.aggregates, 1):
        unknown = [name for name in aggregate.hosts if name not in state.hosts]
        if unknown:
            raise ShapeError(f"aggregate {aggregate.name}: no host {', '.join(unknown)}")
        state.aggregates[number] = Aggregate(number, state.new_id(), aggregate.name, aggregate.zone, aggregate.hosts,
                                             state.clock.now(), dict(aggregate.metadata))  # fmt: skip
    for group in shape.groups:
        group_id = state.new_id()
        project = directory.default_project(group.project)
        state.groups[group_id] = Group(
            group_id, group.name, group.policy, project.id, _owner(directory, group.project).id
        )
    for servers in shape.servers:
        for name in _names(servers):
            _add_server(servers, name, state, claims, directory, media)


def _add_host(state: State, inventories: Inventories, shape: HostShape, number: int) -> None:
    if shape.name in state.hosts:
        raise ShapeError(f"host {shape.name} is there twice")
    node = f"{shape.name}.{shape.domain}" if shape.domain else shape.name
    host = state.hosts[shape.name] = Host(
        name=shape.name,
        node=node,
        hypervisor_id=state.new_id(),
        service_id=state.new_id(),
        number=number,
        zone=shape.zone,
        ip=f"10.250.{number // 250}.{number % 250 + 1}",
        vcpus=shape.vcpus,
        ram=shape.ram,
        disk=shape.disk,
        cpu_ratio=shape.cpu_ratio,
        updated=state.clock.now(),
    )
    inventory = {
        "VCPU": Inventory(shape.vcpus, 0, shape.cpu_ratio),
        "MEMORY_MB": Inventory(shape.ram, _RESERVED_RAM),
        "DISK_GB": Inventory(shape.disk),
    }
    traits = frozenset({"COMPUTE_NODE", "HW_CPU_X86_VMX", *shape.traits})
    inventories.add(Provider(host.hypervisor_id, node, inventory, traits))


def _names(shape: ServerShape) -> list[str]:
    return [shape.name] if shape.count == 1 else [f"{shape.name}-{number}" for number in range(1, shape.count + 1)]


def _owner(directory: Directory, project: str) -> User:
    return next(user for user in directory.users if user.name == (ADMIN if project == "admin" else DEMO))


def _add_server(
    wanted: ServerShape, name: str, state: State, claims: Claims, directory: Directory, media: Media
) -> None:
    flavor = next((one for one in state.flavors.values() if one.name == wanted.flavor), None)
    host = state.hosts.get(wanted.host)
    if flavor is None or host is None:
        raise ShapeError(f"server {name}: no {'flavor ' + wanted.flavor if flavor is None else 'host ' + wanted.host}")
    now = state.clock.now()
    number = sum(1 for _ in state.servers()) + 1
    born = now - _AGE + number
    server = Server(
        id=state.new_id(),
        name=name,
        project_id=directory.default_project(wanted.project).id,
        user_id=_owner(directory, wanted.project).id,
        flavor=flavor,
        created=born,
        updated=born,
        entered=now,
        instance_name=f"instance-{number:08x}",
        reservation_id=f"r-{number:08x}",
        vm_state=wanted.state,
        power_state=_POWER[wanted.state],
        host=host.name,
        node=host.node,
        image_id="" if wanted.disk == "volume" else media.images[1].id,
        disk=wanted.disk,
        volume_id=state.new_id() if wanted.disk == "volume" else None,
        addresses=media.address(media.networks[0]),
        launched=born,
        fault=Fault(500, "Build of instance failed", born) if wanted.state == "error" else None,
    )
    state.add_server(server)
    claims.place(server, host.name)
    if wanted.group is not None:
        _join(state, wanted.group, server)


def _join(state: State, name: str, server: Server) -> None:
    group = next((group for group in state.groups.values() if group.name == name), None)
    if group is None:
        raise ShapeError(f"server {server.name}: no server group {name}")
    state.groups[group.id] = replace(group, members=(*group.members, server.id))
