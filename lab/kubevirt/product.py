"""The whole product in one call: machines, definitions, roles, operators, controllers, migrations, subresources."""

from __future__ import annotations

from dataclasses import dataclass

from lab.apiserver.custom.lifecycle import DefinitionController
from lab.apiserver.http.aggregated import Aggregated
from lab.copying.memory import STILL, Load
from lab.guests import GuestMachine
from lab.kubevirt import control_plane, crds, roles
from lab.kubevirt.containers import Containers
from lab.kubevirt.domains import Domain
from lab.kubevirt.handler.guests import GuestMaker
from lab.kubevirt.install import install_machines, install_product, install_virtualization
from lab.kubevirt.machines import MachineMaker
from lab.kubevirt.migration.engine import World as Network
from lab.kubevirt.migration.install import Migration, migration
from lab.kubevirt.subresources.handlers import Subresources
from lab.kubevirt.world import World
from lab.quantities import whole


@dataclass(frozen=True, slots=True)
class Installed:
    """What the front serves for the product, and its migrations."""

    subresources: Aggregated
    containers: Containers
    migration: Migration


def install(world: World, definitions: DefinitionController, guests: GuestMaker | None = None) -> Installed:
    """Install everything; afterwards the product is rolled out and healthy. Without `guests`: real guest machines.

    The namespaces of the cluster must exist, and `definitions` must be in the runtime.
    """
    api, product = world.api, world.profile.product
    with_hco = product.installed_by == "hco"
    maker = guests or MachineMaker(api, world.profile, world.seed)
    crds.install(api, definitions, world.callers, product.hco, with_hco=with_hco)
    roles.install(api, world.callers, with_hco=with_hco)
    install_machines(world)
    control_plane.install(api, world.profile, world.namespace, world.callers)
    install_product(world)
    install_virtualization(world, maker)
    network = Network(
        load=_load,
        mdevs=lambda pod_uid: _mdevs(world, pod_uid),
        link=float(whole(world.profile.migration_bandwidth)),
    )
    moves = migration(api, world.config, world.callers, world.domains, world.processes, network, world.faults)
    moves.start(world.runtime)
    config = world.config.component("virt-api")
    actions = Subresources(api, world.domains, maker, config, world.callers, world.faults)
    return Installed(actions.aggregated(), Containers(api, world.domains, world.devices), moves)


def _load(domain: Domain) -> Load:
    guest = domain.guest
    if not isinstance(guest, GuestMachine):
        return STILL
    return Load(guest.dirty_rate(), float(guest.working_set()))


def _mdevs(world: World, pod_uid: str) -> tuple[str, ...]:
    allocation = world.devices.of(pod_uid)
    return () if allocation is None else allocation.mdevs
