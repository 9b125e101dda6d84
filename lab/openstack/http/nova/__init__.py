"""Requests of Nova 2.1."""
