"""The simulated kvm-node-agent: it reports what libvirt knows of a machine in the status of its Hypervisor."""
