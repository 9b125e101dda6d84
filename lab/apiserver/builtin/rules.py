"""The strategies of all built-in kinds (kubernetes-api sheet §6.1, §6.2)."""

from __future__ import annotations

from lab.apiserver.builtin.kinds import CRD
from lab.apiserver.builtin.strategy import BuiltinStrategy
from lab.apiserver.custom import definitions
from lab.apiserver.strategies import Strategies

_ALL = (BuiltinStrategy(CRD, definitions.SHAPE, definitions.completed, definitions.causes),)


def strategies() -> Strategies:
    """A new set of strategies with all built-in kinds in it; custom resources join at run time."""
    found = Strategies()
    for strategy in _ALL:
        found.set(strategy.resource, strategy)
    return found
