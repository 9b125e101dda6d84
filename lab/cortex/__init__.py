"""Cortex: ranks hosts for Nova, steers live migrations to where a reservation slot can follow (Cortex sheet)."""
