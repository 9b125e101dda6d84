"""Runs and workers that share one cluster: who may change what all of them depend on, and who is only relying on it."""
