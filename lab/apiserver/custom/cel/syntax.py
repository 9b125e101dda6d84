"""The tree of a parsed expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal: int, float, str, bool or None."""

    value: int | float | str | bool | None


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """`operand.field`; with `test`, `has(operand.field)`."""

    operand: Node
    field: str
    test: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """`operand[index]`."""

    operand: Node
    index: Node


@dataclass(frozen=True, slots=True)
class Call:
    """`function(args)` or `target.function(args)`; operators are calls named by their sign, unary `-` is `neg`."""

    function: str
    args: tuple[Node, ...]
    method: bool = False  # the first argument is the target


@dataclass(frozen=True, slots=True)
class Logic:
    """`left && right` or `left || right`: one side may be in error if the other decides."""

    operator: Literal["&&", "||"]
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Choice:
    """`condition ? yes : no`."""

    condition: Node
    yes: Node
    no: Node


@dataclass(frozen=True, slots=True)
class Items:
    """A list literal."""

    values: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """A map literal."""

    entries: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True)
class Macro:
    """`operand.kind(variable, body)`; for a three-argument `map`, `where` selects the elements."""

    kind: Literal["all", "exists", "exists_one", "filter", "map"]
    operand: Node
    variable: str
    body: Node
    where: Node | None = None


Node = Constant | Name | Select | Index | Call | Logic | Choice | Items | Entries | Macro
