"""subresources.kubevirt.io: actions on VMs and VMIs, guest information and ports (kubevirt sheet §1.2)."""
