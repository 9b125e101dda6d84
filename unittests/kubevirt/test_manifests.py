"""Options add to a manifest what they name, and change no manifest but their own."""

import copy
from functools import reduce

from utilities.kubevirt.manifests import (
    devices_of,
    vm_manifest,
    with_cloud_init,
    with_eviction_strategy,
    with_host_device,
    with_image,
    with_label,
    with_memory,
    with_node,
    with_vgpu,
)


def template(*options):
    return vm_manifest("a", "qa", *options)["spec"]["template"]


def test_the_core_can_be_migrated_and_runs_always():
    manifest = vm_manifest("a", "qa")
    spec = manifest["spec"]["template"]["spec"]
    assert manifest["spec"]["runStrategy"] == "Always"
    assert spec["domain"]["devices"]["interfaces"] == [{"name": "default", "masquerade": {}}]
    assert spec["networks"] == [{"name": "default", "pod": {}}]


def test_each_volume_has_its_disk():
    spec = template(with_image("img"), with_cloud_init("#cloud-config"))["spec"]
    assert spec["volumes"] == [
        {"name": "rootdisk", "containerDisk": {"image": "img"}},
        {"name": "cloudinit", "cloudInitNoCloud": {"userData": "#cloud-config"}},
    ]
    assert [disk["name"] for disk in spec["domain"]["devices"]["disks"]] == ["rootdisk", "cloudinit"]


def test_an_eviction_strategy_is_the_vms_own():
    assert template(with_eviction_strategy("External"))["spec"]["evictionStrategy"] == "External"
    assert "evictionStrategy" not in template()["spec"]


def test_devices_are_asked_for_by_resource():
    options = (with_vgpu("nvidia.com/x", count=2), with_host_device("nvidia.com/y"))
    devices = template(*options)["spec"]["domain"]["devices"]
    assert [gpu["name"] for gpu in devices["gpus"]] == ["gpu0", "gpu1"]
    assert devices_of(vm_manifest("a", "qa", *options)) == ["nvidia.com/x", "nvidia.com/x", "nvidia.com/y"]
    assert devices["interfaces"], "and the rest stays"


def test_memory_labels_and_nodes():
    made = template(with_memory("2Gi"), with_label("team", "red"), with_node({"rack": "7"}))
    assert made["spec"]["domain"]["memory"] == {"guest": "2Gi"}
    assert made["metadata"]["labels"]["team"] == "red"
    assert made["metadata"]["labels"]["vm.kubevirt.io/name"] == "a"
    assert made["spec"]["nodeSelector"] == {"rack": "7"}


def test_no_option_changes_what_it_is_given():
    options = [
        with_image("i"),
        with_memory("1Gi"),
        with_vgpu("x"),
        with_host_device("y"),
        with_label("a", "b"),
        with_node({}),
    ]
    before = reduce(lambda manifest, option: option(manifest), options, vm_manifest("a", "qa"))
    kept = copy.deepcopy(before)
    for option in options:
        option(before)
    assert before == kept
