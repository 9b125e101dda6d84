"""Expressions, cut into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lab.apiserver.custom.cel.errors import ExpressionError

Kind = Literal["int", "double", "string", "name", "operator", "end"]

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      | (?P<double>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)
      | (?P<int>0[xX][0-9a-fA-F]+|\d+)
      | (?P<raw>[rR](?:"[^"\n]*"|'[^'\n]*'))
      | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<operator>\|\||&&|==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))", re.DOTALL)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LITERAL = "\\\"'`?"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of an expression; `text` of a string token is its value, without quotes and escapes."""

    kind: Kind
    text: str
    position: int


def tokens(expression: str) -> Iterator[Token]:
    """The tokens of an expression, then `end`; raises ExpressionError."""
    position = 0
    while position < len(expression):
        match = _TOKEN.match(expression, position)
        if match is None:
            raise ExpressionError(f"token recognition error at: {expression[position]!r}", position)
        token = _token(match, position)
        if token is not None:
            yield token
        position = match.end()
    yield Token("end", "", position)


def _token(match: re.Match[str], position: int) -> Token | None:
    match match.lastgroup:
        case "space":
            return None
        case "raw":
            return Token("string", match["raw"][2:-1], position)
        case "string":
            return Token("string", _unescaped(match["string"][1:-1], position), position)
        case "int":
            return Token("int", match["int"], position)
        case "double":
            return Token("double", match["double"], position)
        case "name":
            return Token("name", match["name"], position)
        case _:
            return Token("operator", match["operator"], position)


def _unescaped(text: str, position: int) -> str:
    def character(match: re.Match[str]) -> str:
        *codes, octal, simple = match.groups()
        code = next((code for code in codes if code), None)
        if code is not None:
            return chr(int(code, 16))
        if octal is not None:
            return chr(int(octal, 8))
        if simple in _SIMPLE:
            return _SIMPLE[simple]
        if simple in _LITERAL:
            return str(simple)
        raise ExpressionError(f"unknown escape sequence \\{simple}", position)

    return _ESCAPE.sub(character, text)
