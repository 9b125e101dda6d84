"""Keystone: who there is, and tokens."""
