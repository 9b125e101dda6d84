"""virt-handler's part in a VMI: its domain, its conditions, its end (kubevirt sheet §2.3-§2.5)."""
