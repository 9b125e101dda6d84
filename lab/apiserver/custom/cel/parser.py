"""A recursive-descent parser for expressions. What it does not know it refuses: no rule is half understood."""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache
from typing import Literal, cast

from lab.apiserver.custom.cel.errors import ExpressionError
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
from lab.apiserver.custom.cel.tokens import Kind, Token, tokens
from lab.apiserver.custom.cel.values import TYPE_NAMES

_LEVELS = (("==", "!=", "<", "<=", ">", ">=", "in"), ("+", "-"), ("*", "/", "%"))  # loosest first
_MACROS = ("all", "exists", "exists_one", "filter", "map")
MacroKind = Literal["all", "exists", "exists_one", "filter", "map"]
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_RESERVED = (
    "as", "break", "const", "continue", "else", "for", "function", "if", "import", "in", "let", "loop", "package",
    "namespace", "return", "var", "void", "while",
)  # fmt: skip
_MAX = 2**63


@lru_cache(maxsize=1024)
def parse(expression: str, variables: frozenset[str]) -> Node:
    """The tree of an expression over these variables; raises ExpressionError."""
    return _Parser(expression, variables).whole()


class _Parser:
    def __init__(self, expression: str, variables: frozenset[str]) -> None:
        self._tokens = list(tokens(expression))
        self._at = 0
        self._variables = [set(variables)]

    def whole(self) -> Node:
        node = self._expression()
        self._take("end")
        return node

    def _expression(self) -> Node:
        condition = self._logic("||")
        if not self._accept("?"):
            return condition
        yes = self._logic("||")
        self._expect(":")
        return Choice(condition, yes, self._expression())

    def _logic(self, operator: Literal["&&", "||"]) -> Node:
        node = self._logic("&&") if operator == "||" else self._binary(0)
        while self._accept(operator):
            node = Logic(operator, node, self._logic("&&") if operator == "||" else self._binary(0))
        return node

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        node = self._binary(level + 1)
        while (operator := self._peek().text) in _LEVELS[level] and self._peek().kind in ("operator", "name"):
            self._at += 1
            node = Call(operator, (node, self._binary(level + 1)))
        return node

    def _unary(self) -> Node:
        if self._accept("!"):
            return Call("!", (self._unary(),))
        if self._accept("-"):
            token = self._peek()
            if token.kind in ("int", "double"):
                return self._members(self._number(self._take(token.kind), -1))
            return Call("neg", (self._unary(),))
        return self._members(self._primary())

    def _members(self, node: Node) -> Node:
        while True:
            if self._accept("."):
                node = self._member(node)
            elif self._accept("["):
                node = Index(node, self._expression())
                self._expect("]")
            else:
                return node

    def _member(self, node: Node) -> Node:
        token = self._take("name")
        if not self._accept("("):
            return Select(node, token.text)
        if token.text in _MACROS:
            return self._macro(cast("MacroKind", token.text), node)
        return self._call(token, METHODS, (node, *self._arguments(")")), method=True)

    def _macro(self, kind: MacroKind, node: Node) -> Node:
        variable = self._take("name").text
        self._expect(",")
        self._variables.append(self._variables[-1] | {variable})
        body, where = self._expression(), None
        if kind == "map" and self._accept(","):
            body, where = self._expression(), body
        self._variables.pop()
        self._expect(")")
        return Macro(kind, node, variable, body, where)

    def _primary(self) -> Node:
        token = self._peek()
        self._at += 1
        if token.kind in ("int", "double"):
            return self._number(token, 1)
        if token.kind == "string":
            return Constant(token.text)
        if token.kind == "name":
            return self._named(token)
        if token.text == "(":
            node = self._expression()
            self._expect(")")
            return node
        if token.text == "[":
            return Items(self._arguments("]"))
        if token.text == "{":
            return Entries(self._entries())
        raise ExpressionError(f"mismatched input {token.text or '<EOF>'!r}", token.position)

    def _named(self, token: Token) -> Node:
        if token.text in _CONSTANTS:
            return Constant(_CONSTANTS[token.text])
        if self._accept("("):
            if token.text == "has":
                return self._has(token)
            return self._call(token, FUNCTIONS, self._arguments(")"), method=False)
        if token.text in _RESERVED:
            raise ExpressionError(f"reserved identifier: {token.text}", token.position)
        if token.text not in self._variables[-1] and token.text not in TYPE_NAMES:
            raise ExpressionError(f"undeclared reference to '{token.text}'", token.position)
        return Name(token.text)

    def _has(self, token: Token) -> Node:
        argument = self._arguments(")")
        if len(argument) != 1 or not isinstance(argument[0], Select):
            raise ExpressionError("invalid argument to has() macro", token.position)
        return Select(argument[0].operand, argument[0].field, test=True)

    def _call(self, token: Token, known: Container[str], args: tuple[Node, ...], *, method: bool) -> Node:
        if token.text not in known:
            raise ExpressionError(f"undeclared reference to '{token.text}'", token.position)
        return Call(token.text, args, method)

    def _number(self, token: Token, sign: int) -> Node:
        if token.kind == "double":
            return Constant(sign * float(token.text))
        value = sign * int(token.text, 0)
        if not -_MAX <= value < _MAX:
            raise ExpressionError("invalid int literal", token.position)
        return Constant(value)

    def _arguments(self, closing: str) -> tuple[Node, ...]:
        nodes: list[Node] = []
        while not self._accept(closing):
            if nodes:
                self._expect(",")
                if closing == "]" and self._accept(closing):
                    break
            nodes.append(self._expression())
        return tuple(nodes)

    def _entries(self) -> tuple[tuple[Node, Node], ...]:
        entries: list[tuple[Node, Node]] = []
        while not self._accept("}"):
            if entries:
                self._expect(",")
                if self._accept("}"):
                    break
            key = self._expression()
            self._expect(":")
            entries.append((key, self._expression()))
        return tuple(entries)

    def _peek(self) -> Token:
        return self._tokens[self._at]

    def _accept(self, operator: str) -> bool:
        token = self._peek()
        found = token.kind == "operator" and token.text == operator
        self._at += found
        return found

    def _expect(self, operator: str) -> None:
        if not self._accept(operator):
            token = self._peek()
            raise ExpressionError(f"mismatched input {token.text or '<EOF>'!r} expecting {operator!r}", token.position)

    def _take(self, kind: Kind) -> Token:
        token = self._peek()
        if token.kind != kind:
            raise ExpressionError(f"mismatched input {token.text or '<EOF>'!r}", token.position)
        self._at += 1
        return token
