"""Draining a node: evictions of launcher pods are refused, and their VMIs migrated instead (kubevirt sheet §7)."""
