"""Drain of nodes with vGPU VMs.  STP: stps/sig-virt/vgpu-node-drain.md"""

SHARES = "kubevirt"
