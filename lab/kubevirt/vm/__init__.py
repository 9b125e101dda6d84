"""VirtualMachines: their run strategies and what their status says (kubevirt sheet §2.2)."""
