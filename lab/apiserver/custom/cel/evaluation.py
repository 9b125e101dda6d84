"""The value of a parsed expression."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from lab.apiserver.custom.cel.errors import EvaluationError, no_such_overload
from lab.apiserver.custom.cel.functions import FUNCTIONS, METHODS
from lab.apiserver.custom.cel.syntax import (
    Call,
    Choice,
    Constant,
    Entries,
    Index,
    Items,
    Logic,
    Macro,
    Name,
    Node,
    Select,
)
from lab.apiserver.custom.cel.values import TypeValue, compared, computed, contained, equal, negated, type_name

Variables = Mapping[str, Any]
# Property names that are no identifiers are written escaped in expressions.
_ESCAPES = (("__dot__", "."), ("__dash__", "-"), ("__slash__", "/"), ("__underscores__", "__"))


def evaluate(node: Node, variables: Variables) -> Any:
    """The value of an expression; raises EvaluationError."""
    match node:
        case Constant(value):
            return value
        case Name(name):
            return variables[name] if name in variables else TypeValue(name)
        case Select():
            return _select(node, variables)
        case Index(operand, index):
            return _element(evaluate(operand, variables), evaluate(index, variables))
        case Logic():
            return _logic(node, variables)
        case Choice(condition, yes, no):
            return evaluate(yes if _truth(evaluate(condition, variables)) else no, variables)
        case Items(values):
            return [evaluate(value, variables) for value in values]
        case Entries(entries):
            return {evaluate(key, variables): evaluate(value, variables) for key, value in entries}
        case Macro():
            return _MACROS[node.kind](node, variables)
        case Call():
            return _call(node, [evaluate(argument, variables) for argument in node.args])


def _call(node: Call, args: list[Any]) -> Any:
    operation = None if node.method else _OPERATORS.get(node.function)
    function = operation or (METHODS if node.method else FUNCTIONS)[node.function]
    try:
        return function(*args)
    except TypeError as error:  # the wrong number of arguments
        raise no_such_overload(f"{node.function}({', '.join(map(type_name, args))})") from error


def _select(node: Select, variables: Variables) -> Any:
    operand = evaluate(node.operand, variables)
    if not isinstance(operand, dict):
        raise no_such_overload(f"{type_name(operand)}.{node.field}")
    field = _unescaped(node.field)
    if node.test:
        return field in operand
    if field not in operand:
        raise EvaluationError(f"no such key: {field}")
    return operand[field]


def _unescaped(field: str) -> str:
    for written, meant in _ESCAPES:
        field = field.replace(written, meant)
    wrapped = field.startswith("__") and field.endswith("__") and len(field) > 4
    return field[2:-2] if wrapped else field  # a reserved word, such as __namespace__


def _element(operand: Any, index: Any) -> Any:
    if isinstance(operand, dict):
        if index not in operand:
            raise EvaluationError(f"no such key: {index}")
        return operand[index]
    if isinstance(operand, list) and isinstance(index, int) and not isinstance(index, bool):
        if not 0 <= index < len(operand):
            raise EvaluationError(f"index out of bounds: {index}")
        return operand[index]
    raise no_such_overload(f"{type_name(operand)}[{type_name(index)}]")


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise no_such_overload(f"{type_name(value)} where a bool is needed")
    return value


def _logic(node: Logic, variables: Variables) -> bool:
    terms = (partial(evaluate, side, variables) for side in (node.left, node.right))
    return _fold(terms, decisive=node.operator == "||")


def _fold(terms: Iterator[Callable[[], Any]], *, decisive: bool) -> bool:
    """`decisive` as soon as a term is; else the first error there was; else its opposite."""
    problem: EvaluationError | None = None
    for term in terms:
        try:
            if _truth(term()) is decisive:
                return decisive
        except EvaluationError as error:
            problem = problem or error
    if problem is not None:
        raise problem
    return not decisive


def _scopes(node: Macro, variables: Variables) -> Iterator[tuple[Any, Variables]]:
    operand = evaluate(node.operand, variables)
    if not isinstance(operand, (list, dict)):
        raise no_such_overload(f"{type_name(operand)}.{node.kind}()")
    return ((element, {**variables, node.variable: element}) for element in operand)


def _bodies(node: Macro, variables: Variables) -> Iterator[Callable[[], Any]]:
    return (partial(evaluate, node.body, scope) for _, scope in _scopes(node, variables))


def _exists_one(node: Macro, variables: Variables) -> bool:
    return sum(_truth(evaluate(node.body, scope)) for _, scope in _scopes(node, variables)) == 1


def _filter(node: Macro, variables: Variables) -> list[Any]:
    return [element for element, scope in _scopes(node, variables) if _truth(evaluate(node.body, scope))]


def _map(node: Macro, variables: Variables) -> list[Any]:
    chosen = node.where
    return [
        evaluate(node.body, scope)
        for _, scope in _scopes(node, variables)
        if chosen is None or _truth(evaluate(chosen, scope))
    ]


_MACROS: Mapping[str, Callable[[Macro, Variables], Any]] = {
    "all": lambda node, variables: _fold(_bodies(node, variables), decisive=False),
    "exists": lambda node, variables: _fold(_bodies(node, variables), decisive=True),
    "exists_one": _exists_one,
    "filter": _filter,
    "map": _map,
}
_OPERATORS: Mapping[str, Callable[..., Any]] = {
    "!": lambda value: not _truth(value),
    "neg": negated,
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "in": contained,
    **{sign: partial(compared, sign) for sign in ("<", "<=", ">", ">=")},
    **{sign: partial(computed, sign) for sign in ("+", "-", "*", "/", "%")},
}
