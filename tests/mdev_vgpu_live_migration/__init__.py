"""mdev vGPU live migration.  STP: stps/sig-virt/mdev-vgpu-live-migration.md"""

SHARES = "kubevirt"
