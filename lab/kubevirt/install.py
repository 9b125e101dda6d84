"""Puts nodes, scheduling and KubeVirt into a lab."""

from __future__ import annotations

from lab.kubevirt import first
from lab.kubevirt.domains import Domain
from lab.kubevirt.evacuation.controller import EvacuationController
from lab.kubevirt.evacuation.evictions import EvictionInterceptor
from lab.kubevirt.handler.controller import Handler
from lab.kubevirt.handler.guests import GuestMaker
from lab.kubevirt.hco.admission import HcoAdmission
from lab.kubevirt.hco.controller import HcoController
from lab.kubevirt.hco.generate import KUBEVIRT_NAME
from lab.kubevirt.kinds import HCO, KUBEVIRT
from lab.kubevirt.launcher_pod import LAUNCHER_IMAGE
from lab.kubevirt.launchers import Launchers
from lab.kubevirt.operator import Operator
from lab.kubevirt.vm.controller import VmController
from lab.kubevirt.vmi.controller import VmiController
from lab.kubevirt.webhooks import kubevirts
from lab.kubevirt.webhooks.vmis import VmiAdmission
from lab.kubevirt.webhooks.vms import VmAdmission
from lab.kubevirt.world import World
from lab.scheduling import nodes
from lab.scheduling.kubelet import Kubelet
from lab.scheduling.scheduler import Scheduler


def install_machines(world: World) -> None:
    """Nodes, the scheduler and the kubelets."""
    shape = world.profile.nodes
    nodes.create(world.api, shape, world.profile.product, world.addresses)
    for node in shape:
        world.images.keep(node.name, LAUNCHER_IMAGE)
    kubelet = Kubelet(world.api, world.machinery, world.faults)
    world.runtime.add(Scheduler(world.api, world.placement, world.delays, world.faults))
    world.runtime.add(kubelet)
    world.processes.listen(lambda key: world.runtime.poke(kubelet, key))


def highly_available(world: World) -> bool:
    """Whether the cluster has more than one node for workloads."""
    return sum(nodes.runs_guests(node) for node in world.profile.nodes) > 1


def install_product(world: World) -> None:
    """virt-operator, and HCO if that installed the product; leaves a rolled-out KubeVirt object behind."""
    api, product = world.api, world.profile.product
    kubevirts.register(api.admission)
    operator = Operator(api, product.kubevirt, world.delays, world.callers, world.faults)
    if product.installed_by == "hco":
        HcoAdmission(product.hco, highly_available(world)).register(api.admission)
        hco = HcoController(api, product, highly_available(world), world.delays, world.callers, world.faults)
        created = api.create(HCO, first.hyperconverged(world.namespace, world.profile), caller=world.callers.hco)
        key = (world.namespace, created["metadata"]["name"])
        hco.reconcile(key)
        operator.settle((world.namespace, KUBEVIRT_NAME))
        hco.reconcile(key)
        world.runtime.add(hco)
    else:
        created = api.create(KUBEVIRT, first.kubevirt(world.namespace, world.profile), caller=world.callers.operator)
        operator.settle((world.namespace, created["metadata"]["name"]))
    world.runtime.add(operator)


def install_virtualization(world: World, guests: GuestMaker) -> None:
    """virt-api's webhooks for VMs, virt-controller, virt-handler and virt-launcher (all but migrations)."""
    api, callers, faults = world.api, world.callers, world.faults
    handler_config, api_config = world.config.component("virt-handler"), world.config.component("virt-api")
    VmAdmission(world.rng("firmware"), api_config).register(api.admission)
    VmiAdmission(api.clock, api_config, callers).register(api.admission)
    EvictionInterceptor(api, api_config, callers, faults).register()
    launchers = Launchers(api, world.domains, world.processes, world.delays, callers, faults)
    handler = Handler(api, handler_config, world.domains, world.devices, guests, world.delays, callers, faults)
    for controller in (
        VmController(api, world.rng("start-backoff"), callers, faults),
        VmiController(api, world.config.component("virt-controller"), callers, faults),
        EvacuationController(api, world.config.component("virt-controller"), callers, faults),
        handler,
        launchers,
    ):
        world.runtime.add(controller)

    def on_domain(domain: Domain) -> None:
        world.runtime.poke(handler, (domain.namespace, domain.name))
        for key in launchers.keys_of(domain):
            world.runtime.poke(launchers, key)

    world.domains.listen(on_domain)
    world.processes.listen(lambda key: world.runtime.poke(launchers, key))
