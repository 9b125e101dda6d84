"""The kinds of KubeVirt and HCO (kubevirt sheet §1.1)."""

from __future__ import annotations

from lab.apiserver.resources import Resource

VM = Resource(
    "kubevirt.io", "v1", "virtualmachines", "VirtualMachine", short_names=("vm", "vms"), categories=("all",),
    subresources=("status",), custom=True, generation=True, unconditional_update=False,
)  # fmt: skip
VMI = Resource(
    "kubevirt.io", "v1", "virtualmachineinstances", "VirtualMachineInstance", short_names=("vmi", "vmis"),
    categories=("all",), custom=True, generation=True, unconditional_update=False,
)  # fmt: skip
VMIM = Resource(
    "kubevirt.io", "v1", "virtualmachineinstancemigrations", "VirtualMachineInstanceMigration",
    short_names=("vmim", "vmims"), categories=("all",), subresources=("status",), custom=True, generation=True,
    unconditional_update=False,
)  # fmt: skip
KUBEVIRT = Resource(
    "kubevirt.io", "v1", "kubevirts", "KubeVirt", short_names=("kv", "kvs"), categories=("all",),
    subresources=("status",), custom=True, generation=True, unconditional_update=False,
)  # fmt: skip
POLICY = Resource(
    "migrations.kubevirt.io", "v1alpha1", "migrationpolicies", "MigrationPolicy", namespaced=False,
    categories=("all",), subresources=("status",), custom=True, generation=True, unconditional_update=False,
)  # fmt: skip
HCO = Resource(
    "hco.kubevirt.io", "v1", "hyperconvergeds", "HyperConverged", short_names=("hco", "hcos"),
    subresources=("status",), custom=True, generation=True, unconditional_update=False,
)  # fmt: skip
