"""The files a lab leaves for its users: kubeconfigs and the site file that the suite reads like any other."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lab.apiserver.auth.identity import MASTERS, Credentials, authenticated
from lab.apiserver.certificates import Authority
from lab.apiserver.kubeconfig import kubeconfig, write_kubeconfig
from lab.profiles import Card, Profile

TESTER = "tester"  # the user without cluster rights
_NAMES = {
    "hco": {
        "namespace": "openshift-cnv",
        "hyperconverged": "kubevirt-hyperconverged",
        "hyperconverged_api": "v1",
        "kubevirt": "kubevirt-kubevirt-hyperconverged",
    },
    "kubevirt": {"namespace": "kubevirt", "kubevirt": "kubevirt"},
}


@dataclass(frozen=True, slots=True)
class SiteFiles:
    """Paths of what was written."""

    site: Path
    admin: Path
    tester: Path


def write(
    directory: Path, url: str, authority: Authority, credentials: Credentials, profile: Profile, time_scale: float
) -> SiteFiles:
    """Write kubeconfigs (new tokens each time) and the site file into `directory`."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = {}
    for user, groups in (("admin", (MASTERS,)), (TESTER, ())):
        token = secrets.token_urlsafe(32)
        credentials.add(token, authenticated(user, groups))
        document = kubeconfig(url, authority.pem, user=user, token=token)
        paths[user] = write_kubeconfig(directory / f"{user}.kubeconfig", document)
    site = directory / "site.yaml"
    content = _site(profile, time_scale, paths["admin"], paths[TESTER])
    site.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return SiteFiles(site, paths["admin"], paths[TESTER])


def _site(profile: Profile, time_scale: float, admin: Path, tester: Path) -> dict[str, Any]:
    return {
        "name": f"lab {profile.name}",
        "kind": "lab",
        "time_scale": time_scale,
        "kubernetes": {
            "kubeconfig": str(admin.resolve()),
            "unprivileged": {"kubeconfig": str(tester.resolve()), "user": TESTER},
        },
        "product": {"installed_by": profile.product.installed_by, **_NAMES[profile.product.installed_by]},
        "gpu": _gpu(profile),
        "guest": {"image": "registry.redhat.io/rhel9/rhel-guest-image:latest", "user": "cloud-user", "memory": "2Gi"},
    }


def _gpu(profile: Profile) -> dict[str, Any]:
    cards = [card for node in profile.nodes for card in node.cards]
    vgpu = next(card for card in cards if card.mdev_type)
    whole = [card.resource for card in cards if not card.mdev_type]
    return {
        "profile": _gpu_profile(vgpu),
        "nodes": "nvidia.com/gpu.present=true",
        "passthrough": whole[0] if whole else None,
    }


def _gpu_profile(card: Card) -> dict[str, Any]:
    return {
        "name": str(card.mdev_type).removeprefix("GRID ").removeprefix("NVIDIA "),
        "card": str(card.mdev_type).removeprefix("GRID ").removeprefix("NVIDIA ").split("-")[0],
        "pci_id": card.pci_id,
        "resource": card.resource,
        "mdev_selector": card.mdev_type,
        "type_id": card.mdev_type_id,
        "instances_per_card": card.instances,
        "guest_name": card.guest_name,
    }
