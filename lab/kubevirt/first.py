"""The objects a freshly installed product starts with: the profile's GPUs are permitted (kubevirt sheet §8.1, §8.3)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from lab.kubevirt.hco.generate import PATCH_ANNOTATION
from lab.kubevirt.hco.view import NAME
from lab.profiles.profile import Card, Profile


def hyperconverged(namespace: str, profile: Profile) -> dict[str, Any]:
    """The HyperConverged object (v1): NVIDIA's device plugin advertises, KubeVirt leaves mdevs alone."""
    devices = {
        "mediatedDevices": list(_mediated(profile)),
        "pciHostDevices": [
            {"pciDeviceSelector": card.pci_id.upper(), **_resource(card)} for card in _cards(profile, whole=True)
        ],
    }
    virtualization: dict[str, Any] = {"mediatedDevicesConfiguration": {"enabled": False}}
    virtualization["permittedHostDevices"] = {key: value for key, value in devices.items() if value}
    metadata: dict[str, Any] = {"name": NAME, "namespace": namespace, "labels": {"app": NAME}}
    if profile.feature_gates:
        metadata["annotations"] = {PATCH_ANNOTATION: _gates_patch(profile.feature_gates)}
    return {"metadata": metadata, "spec": {"virtualization": virtualization}}


def kubevirt(namespace: str, profile: Profile) -> dict[str, Any]:
    """The KubeVirt object of an installation without HCO."""
    devices = {
        "mediatedDevices": list(_mediated(profile)),
        "pciHostDevices": [
            {"pciVendorSelector": card.pci_id.upper(), **_resource(card)} for card in _cards(profile, whole=True)
        ],
    }
    gates = ["HostDevices", *(gate for gate in profile.feature_gates if gate != "HostDevices")]
    configuration = {
        "developerConfiguration": {"featureGates": gates},
        "mediatedDevicesConfiguration": {"enabled": False},
        "network": {"defaultNetworkInterface": "masquerade"},
        "permittedHostDevices": {key: value for key, value in devices.items() if value},
    }
    return {
        "metadata": {"name": "kubevirt", "namespace": namespace},
        "spec": {"configuration": configuration, "imagePullPolicy": "IfNotPresent", "workloadUpdateStrategy": {}},
    }


def _gates_patch(gates: Iterable[str]) -> str:
    path = "/spec/configuration/developerConfiguration/featureGates/-"
    return json.dumps([{"op": "add", "path": path, "value": gate} for gate in gates])


def _mediated(profile: Profile) -> Iterable[dict[str, Any]]:
    for card in _cards(profile, whole=False):
        yield {"mdevNameSelector": card.mdev_type, **_resource(card)}


def _cards(profile: Profile, *, whole: bool) -> Iterable[Card]:
    found = [card for node in profile.nodes for card in node.cards if (card.mdev_type is None) is whole]
    return {card.resource: card for card in found}.values()


def _resource(card: Card) -> dict[str, Any]:
    return {"resourceName": card.resource, "externalResourceProvider": True}
