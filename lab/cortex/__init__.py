"""Cortex, which ranks hosts for Nova and steers live migrations to where a reservation slot can follow (Cortex sheet)."""
