"""Evaluates `$((…))`: signed 64-bit integers, C operators, assignments to variables."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|[0-9]+)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<operator><<=|>>=|\*\*|&&|\|\||<<|>>|<=|>=|==|!=|\+\+|--|[-+*/%&|^]=|[-+*/%&|^~!<>=?:(),])|$)"
)
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
_ASSIGNING = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
_MAX_DEPTH = 40
_MAX_DIGITS = 19


class ArithmeticFault(Exception):  # noqa: N818  (the text is an error message of the shell already)
    """The expression is malformed or divides by zero."""


Evaluate: TypeAlias = "Callable[[Variables], int]"


@dataclass(frozen=True, slots=True)
class Variables:
    """The shell's variables: how to read one (None: unset) and how to set one."""

    read: Callable[[str], str | None]
    assign: Callable[[str, str], None]


def evaluate(text: str, variables: Variables) -> int:
    """The value of an expression whose parameters are expanded already."""
    return _compile(text)(variables)


@lru_cache(maxsize=1024)
def _compile(text: str) -> "Evaluate":
    return _Parser(text).whole()


def _wrap(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


def _divide(left: int, right: int) -> int:
    """C division: towards zero."""
    if right == 0:
        raise ArithmeticFault("division by 0")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _power(base: int, exponent: int) -> int:
    if exponent < 0:
        raise ArithmeticFault("exponent less than 0")
    return pow(base, exponent, 2**64)


_BINARY: Mapping[str, Callable[[int, int], int]] = {
    "|": int.__or__,
    "^": int.__xor__,
    "&": int.__and__,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "<<": lambda a, b: a << (b & 63),
    ">>": lambda a, b: a >> (b & 63),
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "/": _divide,
    "**": _power,
    "%": lambda a, b: a - b * _divide(a, b),
}


def _variable(name: str) -> "Evaluate":
    """A variable's value: a number, or an expression in itself."""

    def read(variables: Variables) -> int:
        value = variables.read(name)
        if not value:
            return 0
        if value.isascii() and value.isdecimal() and len(value) < _MAX_DIGITS and (value[0] != "0" or len(value) == 1):
            return int(value)
        return _compile(value)(variables)

    return read


def _literal(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ArithmeticFault(f"{text[:_MAX_DIGITS]}…: number too long")
    if text[:2] in ("0x", "0X"):
        return _wrap(int(text, 16))
    if text[0] == "0" and len(text) > 1:
        try:
            return _wrap(int(text, 8))
        except ValueError:
            raise ArithmeticFault(f"{text}: value too great for base") from None
    return _wrap(int(text))


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str]] = []
        position = 0
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            if match is None or match.lastgroup is None:
                raise ArithmeticFault(f"{text.strip()}: syntax error: operand expected")
            self._tokens.append((match.lastgroup, match[match.lastgroup]))
            position = match.end()
        self._index = 0
        self._depth = 0

    def whole(self) -> "Evaluate":
        if not self._tokens:
            return _constant(0)
        value = self._comma()
        if self._index < len(self._tokens):
            raise self._fault()
        return value

    def _peek(self) -> str:
        return self._tokens[self._index][1] if self._index < len(self._tokens) else ""

    def _accept(self, *operators: str) -> str | None:
        if self._index < len(self._tokens) and self._tokens[self._index][1] in operators:
            self._index += 1
            return self._tokens[self._index - 1][1]
        return None

    def _fault(self) -> ArithmeticFault:
        return ArithmeticFault(f'{self._text.strip()}: syntax error in expression (error token is "{self._peek()}")')

    def _comma(self) -> "Evaluate":
        value = self._assignment()
        while self._accept(","):
            value = _second_of(value, self._assignment())
        return value

    def _assignment(self) -> "Evaluate":
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ArithmeticFault("expression nested too deeply")
        value = self._assignment_or_ternary()
        self._depth -= 1
        return value

    def _assignment_or_ternary(self) -> "Evaluate":
        if self._index + 1 < len(self._tokens) and self._tokens[self._index][0] == "name":
            operator = self._tokens[self._index + 1][1]
            if operator in _ASSIGNING:
                name = self._peek()
                self._index += 2
                return _assign(name, operator[:-1], self._assignment())
        condition = self._binary(0)
        if not self._accept("?"):
            return condition
        then = self._assignment()
        if not self._accept(":"):
            raise self._fault()
        otherwise = self._assignment()
        return lambda variables: then(variables) if condition(variables) else otherwise(variables)

    def _binary(self, level: int) -> "Evaluate":
        if level == len(_LEVELS):
            return self._power()
        left = self._binary(level + 1)
        while operator := self._accept(*_LEVELS[level]):
            left = _combine(operator, left, self._binary(level + 1))
        return left

    def _power(self) -> "Evaluate":
        base = self._unary()
        return _combine("**", base, self._power()) if self._accept("**") else base

    def _unary(self) -> "Evaluate":
        operator = self._accept("+", "-", "!", "~", "++", "--")
        if operator in ("++", "--"):
            return self._step(operator, before=True)
        if operator is None:
            return self._primary()
        operand = self._unary()
        match operator:
            case "-":
                return lambda variables: _wrap(-operand(variables))
            case "!":
                return lambda variables: int(not operand(variables))
            case "~":
                return lambda variables: ~operand(variables)
        return operand

    def _step(self, operator: str, *, before: bool) -> "Evaluate":
        """`++name` and `--name`; after the name the old value counts."""
        if self._index >= len(self._tokens) or self._tokens[self._index][0] != "name":
            raise self._fault()
        name = self._peek()
        self._index += 1
        return _stepped(name, operator, before=before)

    def _primary(self) -> "Evaluate":
        if self._accept("("):
            value = self._comma()
            if not self._accept(")"):
                raise self._fault()
            return value
        if self._index >= len(self._tokens):
            raise self._fault()
        kind, text = self._tokens[self._index]
        if kind == "operator":
            raise self._fault()
        self._index += 1
        if kind == "name":
            after = self._accept("++", "--")
            return _stepped(text, after, before=False) if after else _variable(text)
        return _constant(_literal(text))


def _constant(number: int) -> "Evaluate":
    return lambda _variables: number


def _second_of(first: "Evaluate", second: "Evaluate") -> "Evaluate":
    def both(variables: Variables) -> int:
        first(variables)
        return second(variables)

    return both


def _combine(operator: str, left: "Evaluate", right: "Evaluate") -> "Evaluate":
    if operator == "&&":
        return lambda variables: int(bool(left(variables)) and bool(right(variables)))
    if operator == "||":
        return lambda variables: int(bool(left(variables)) or bool(right(variables)))
    apply = _BINARY[operator]
    return lambda variables: _wrap(apply(left(variables), right(variables)))


def _assign(name: str, operator: str, value: "Evaluate") -> "Evaluate":
    combined = _combine(operator, _variable(name), value) if operator else value

    def store(variables: Variables) -> int:
        result = combined(variables)
        variables.assign(name, str(result))
        return result

    return store


def _stepped(name: str, operator: str, *, before: bool) -> "Evaluate":
    read = _variable(name)
    change = 1 if operator == "++" else -1

    def step(variables: Variables) -> int:
        old = read(variables)
        variables.assign(name, str(_wrap(old + change)))
        return _wrap(old + change) if before else old

    return step
