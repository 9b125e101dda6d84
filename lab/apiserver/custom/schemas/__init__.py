"""Structural schemas: prune, default and validate values by them (kubernetes-api sheet §5.2)."""
