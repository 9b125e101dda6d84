"""The HTTP front of the simulated OpenStack services."""
