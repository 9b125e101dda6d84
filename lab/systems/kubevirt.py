"""KubeVirt on the nodes of the profile."""

from __future__ import annotations

from typing import Any

from lab.profiles import Card, Profile
from lab.systems.system import Lab, Started, System

_NAMES = {
    "hco": {
        "namespace": "openshift-cnv",
        "hyperconverged": "kubevirt-hyperconverged",
        "hyperconverged_api": "v1",
        "kubevirt": "kubevirt-kubevirt-hyperconverged",
    },
    "kubevirt": {"namespace": "kubevirt", "kubevirt": "kubevirt"},
}
_GUEST = {"image": "registry.redhat.io/rhel9/rhel-guest-image:latest", "user": "cloud-user", "memory": "2Gi"}


async def _start(lab: Lab) -> Started:
    from lab.kubevirt.product import install
    from lab.kubevirt.world import build

    world = build(lab.api, lab.runtime, lab.profile, seed=lab.choice.seed, faults=lab.faults)
    product = install(world, lab.definitions)
    lab.front.aggregated.append(product.subresources)
    lab.front.streams = product.containers
    installed_by = lab.profile.product.installed_by
    sections = {"product": {"installed_by": installed_by, **_NAMES[installed_by]}, **_gpu(lab.profile)}
    return Started(site={**sections, "guest": _GUEST})


def _gpu(profile: Profile) -> dict[str, Any]:
    """The section about GPUs; null when no card is cut into vGPUs."""
    cards = [card for node in profile.nodes for card in node.cards]
    vgpu = next((card for card in cards if card.mdev_type), None)
    if vgpu is None:
        return {"gpu": None}
    whole = [card.resource for card in cards if not card.mdev_type]
    passthrough = whole[0] if whole else None
    return {"gpu": {"profile": _gpu_profile(vgpu), "nodes": "nvidia.com/gpu.present=true", "passthrough": passthrough}}


def _gpu_profile(card: Card) -> dict[str, Any]:
    name = str(card.mdev_type).removeprefix("GRID ").removeprefix("NVIDIA ")
    return {
        "name": name,
        "card": name.split("-")[0],
        "pci_id": card.pci_id,
        "resource": card.resource,
        "mdev_selector": card.mdev_type,
        "type_id": card.mdev_type_id,
        "instances_per_card": card.instances,
        "guest_name": card.guest_name,
    }


SYSTEM = System("kubevirt", wanted=lambda profile: bool(profile.nodes), start=_start)
