"""Cluster shapes as data: nodes, cards, versions, capacities, clouds.  A profile is a YAML file in this folder."""

from lab.profiles.loading import load, names
from lab.profiles.profile import Card, HypervisorOperator, Node, Product, Profile, ProfileError

__all__ = ["Card", "HypervisorOperator", "Node", "Product", "Profile", "ProfileError", "load", "names"]
