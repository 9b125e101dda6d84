"""Kinds every cluster has, and the rules they bring (kubernetes-api sheet §6)."""
