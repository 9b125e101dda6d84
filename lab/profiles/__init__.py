"""Cluster shapes as data: nodes, cards, versions, capacities.  A profile is a YAML file in this folder."""

from lab.profiles.profile import Card, Node, Product, Profile, ProfileError, load, names

__all__ = ["Card", "Node", "Product", "Profile", "ProfileError", "load", "names"]
