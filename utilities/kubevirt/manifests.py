"""VM manifests from small options over one core: `vm_manifest("a", with_vgpu(...), with_memory("2Gi"))`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

Manifest = dict[str, Any]
Option = Callable[[Manifest], Manifest]


def vm_manifest(name: str, namespace: str, *options: Option) -> Manifest:
    """A VirtualMachine that runs always, with a pod network that can be migrated; options add the rest."""
    core: Manifest = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "runStrategy": "Always",
            "template": {
                "metadata": {"labels": {"app": name, "vm.kubevirt.io/name": name}},
                "spec": {
                    "domain": {
                        "devices": {"interfaces": [{"name": "default", "masquerade": {}}], "disks": []},
                        "resources": {},
                    },
                    "networks": [{"name": "default", "pod": {}}],
                    "volumes": [],
                    "terminationGracePeriodSeconds": 0,
                },
            },
        },
    }
    return reduce(lambda manifest, option: option(manifest), options, core)


def devices_of(manifest: Manifest) -> list[str]:
    """Extended resources of the devices that a VM asks for, once per device."""
    devices = manifest["spec"]["template"]["spec"]["domain"]["devices"]
    return [device["deviceName"] for device in (*devices.get("gpus", ()), *devices.get("hostDevices", ()))]


def with_image(image: str) -> Option:
    """Boot this container disk."""
    return _volume("rootdisk", {"containerDisk": {"image": image}})


def with_cloud_init(user_data: str) -> Option:
    """Hand this user data to cloud-init."""
    return _volume("cloudinit", {"cloudInitNoCloud": {"userData": user_data}})


def with_memory(quantity: str) -> Option:
    """Guest memory."""
    return _in_domain("memory", {"guest": quantity})


def with_vgpu(resource: str, count: int = 1) -> Option:
    """vGPUs (or whole GPUs) of an extended resource."""
    return _in_devices("gpus", [{"name": f"gpu{number}", "deviceName": resource} for number in range(count)])


def with_host_device(resource: str) -> Option:
    """A generic host device of an extended resource."""
    return _in_devices("hostDevices", [{"name": "device0", "deviceName": resource}])


def with_node(labels: Mapping[str, str]) -> Option:
    """Only on nodes with these labels, also when it migrates."""
    return lambda manifest: _with_spec(manifest, {**manifest["spec"]["template"]["spec"], "nodeSelector": dict(labels)})


def with_eviction_strategy(strategy: str) -> Option:
    """What becomes of it when its pod is to be evicted: `LiveMigrate`, `LiveMigrateIfPossible`, `None`, `External`."""
    key = "evictionStrategy"
    return lambda manifest: _with_spec(manifest, {**manifest["spec"]["template"]["spec"], key: strategy})


def with_label(name: str, value: str) -> Option:
    """A label of the running instance, which migration policies match."""

    def apply(manifest: Manifest) -> Manifest:
        template = manifest["spec"]["template"]
        labels = {**template["metadata"]["labels"], name: value}
        return _with_template(manifest, {**template, "metadata": {**template["metadata"], "labels": labels}})

    return apply


def _volume(name: str, source: Manifest) -> Option:
    def apply(manifest: Manifest) -> Manifest:
        spec = manifest["spec"]["template"]["spec"]
        disks = [*spec["domain"]["devices"]["disks"], {"name": name, "disk": {"bus": "virtio"}}]
        devices = {**spec["domain"]["devices"], "disks": disks}
        volumes = [*spec["volumes"], {"name": name, **source}]
        return _with_spec(manifest, {**spec, "domain": {**spec["domain"], "devices": devices}, "volumes": volumes})

    return apply


def _in_domain(key: str, value: object) -> Option:
    def apply(manifest: Manifest) -> Manifest:
        spec = manifest["spec"]["template"]["spec"]
        return _with_spec(manifest, {**spec, "domain": {**spec["domain"], key: value}})

    return apply


def _in_devices(key: str, value: object) -> Option:
    def apply(manifest: Manifest) -> Manifest:
        devices = manifest["spec"]["template"]["spec"]["domain"]["devices"]
        return _in_domain("devices", {**devices, key: value})(manifest)

    return apply


def _with_spec(manifest: Manifest, spec: Manifest) -> Manifest:
    return _with_template(manifest, {**manifest["spec"]["template"], "spec": spec})


def _with_template(manifest: Manifest, template: Manifest) -> Manifest:
    return {**manifest, "spec": {**manifest["spec"], "template": template}}
