"""Tests of the simulated guest machines."""
