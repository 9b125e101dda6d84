"""Cortex over HTTP: the external scheduler, metrics and health."""
