"""Cortex's controllers of commitments and their reservation slots (cortex sheet §1.1, §1.2, §6)."""
