"""Placement: providers, traits, inventories and allocations."""
