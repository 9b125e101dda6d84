"""Live migration: admission, the VMIM controller, both virt-handlers' halves, and the engine (kubevirt sheet §4-§6)."""
