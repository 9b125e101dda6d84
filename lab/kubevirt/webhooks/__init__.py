"""Admission of VMs, VMIs and KubeVirt objects by virt-api and virt-operator (kubevirt sheet §1.3, §2.3, §3.1)."""
