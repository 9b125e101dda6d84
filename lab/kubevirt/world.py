"""Everything the simulated components share, built once per lab."""

from __future__ import annotations

import random
from dataclasses import dataclass

from lab.apiserver.api import Api
from lab.controllers.decisions import Faults
from lab.controllers.runtime import Runtime
from lab.kubevirt.callers import Callers
from lab.kubevirt.config import ConfigSource
from lab.kubevirt.domains import Domains
from lab.kubevirt.launchers import is_launcher
from lab.profiles.profile import Profile, ProfileError
from lab.scheduling.addresses import Addresses
from lab.scheduling.delays import Delays
from lab.scheduling.devices import DevicePlugins
from lab.scheduling.images import Images
from lab.scheduling.inventory import inventory
from lab.scheduling.kubelet import Machinery
from lab.scheduling.placement import Placement
from lab.scheduling.processes import Processes

SIMULATED = "v1.9."
NAMESPACES = {"hco": "openshift-cnv", "kubevirt": "kubevirt"}


@dataclass(frozen=True, slots=True)
class World:
    """The parts of one lab that more than one component works with."""

    api: Api
    runtime: Runtime
    profile: Profile
    faults: Faults
    seed: int
    namespace: str  # where the product is installed
    callers: Callers
    config: ConfigSource
    domains: Domains
    devices: DevicePlugins
    processes: Processes
    placement: Placement
    addresses: Addresses
    images: Images
    delays: Delays

    def rng(self, what: str) -> random.Random:
        """A generator of its own for one purpose: what others draw does not change what it gives."""
        return random.Random(f"{self.seed}/{what}")

    @property
    def machinery(self) -> Machinery:
        """What the kubelets work with."""
        return Machinery(self.processes, self.devices, self.images, self.addresses, self.delays, managed=is_launcher)


def build(api: Api, runtime: Runtime, profile: Profile, *, seed: int, faults: Faults) -> World:
    """The world of a profile, still without any controller; raises ProfileError for a product that is not simulated."""
    if not profile.product.kubevirt.startswith(SIMULATED):
        raise ProfileError(
            f"profile {profile.name}: the lab simulates KubeVirt {SIMULATED}x, not {profile.product.kubevirt}: "
            "its gates and defaults differ"
        )
    namespace = NAMESPACES[profile.product.installed_by]
    return World(
        api=api,
        runtime=runtime,
        profile=profile,
        faults=faults,
        seed=seed,
        namespace=namespace,
        callers=Callers(namespace),
        config=ConfigSource(api, random.Random(f"{seed}/config")),
        domains=Domains(),
        devices=DevicePlugins(inventory(profile.nodes, random.Random(f"{seed}/devices"))),
        processes=Processes(),
        placement=Placement(api),
        addresses=Addresses(node.name for node in profile.nodes),
        images=Images(),
        delays=Delays(seed),
    )
