"""Measured comparisons: each prints a table and writes JSON. Speed is compared within one run, never asserted."""
