"""virt-controller's part in a VMI: its pod, its phases up to hand-over, its Ready condition (kubevirt sheet §2.3)."""
