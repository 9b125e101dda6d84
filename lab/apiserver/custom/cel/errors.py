"""What can go wrong with an expression: it cannot be read, or it cannot be evaluated."""

from __future__ import annotations


class ExpressionError(Exception):
    """The expression is not of the supported language. `position` counts characters from 0."""

    def __init__(self, what: str, position: int) -> None:
        super().__init__(what)
        self.position = position


class EvaluationError(Exception):
    """The expression has no value for this input, such as `no such key: a`."""


def no_such_overload(what: str) -> EvaluationError:
    """An operator or function met values it is not defined for."""
    return EvaluationError(f"no such overload: {what}")
