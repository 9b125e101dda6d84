"""Registers the suite's plugin, and nothing else."""

pytest_plugins = ("utilities.plugin",)
