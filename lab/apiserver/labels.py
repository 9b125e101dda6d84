"""Label selectors: the grammar of `labelSelector` (kubernetes-api sheet §3.4)."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lab.apiserver.errors import bad_request
from lab.apiserver.naming import label_value_problem, qualified_name_problem

Operator = Literal["exists", "absent", "in", "notin", "gt", "lt"]
_SYMBOLS = ("=", "==", "!=", "!", "(", ")", ",", ">", "<")
_TOKEN = re.compile(r"\s*(==|!=|=|!|\(|\)|,|>|<|[^\s=!(),<>]+)")


@dataclass(frozen=True, slots=True)
class LabelRequirement:
    """One requirement; `=` is `in` with one value, `!=` is `notin` with one."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether labels meet it; `notin` is also met by objects without the key."""
        value = labels.get(self.key)
        if self.operator == "absent":
            return value is None
        if self.operator == "notin":
            return value is None or value not in self.values
        if value is None:
            return False
        if self.operator == "exists":
            return True
        if self.operator == "in":
            return value in self.values
        return self._compares(value)

    def _compares(self, value: str) -> bool:
        try:
            number = int(value)
        except ValueError:
            return False
        (bound,) = self.values
        return number > int(bound) if self.operator == "gt" else number < int(bound)


@functools.lru_cache(maxsize=1024)
def parse_labels(text: str) -> tuple[LabelRequirement, ...]:
    """The requirements of a label selector; raises 400 on bad syntax. Empty: everything."""
    return _Parser(text).requirements() if text.strip() else ()


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0

    def requirements(self) -> tuple[LabelRequirement, ...]:
        found = [self._requirement()]
        while self._peek() == ",":
            self._next()
            found.append(self._requirement())
        if self._peek():
            raise _unexpected(self._peek(), "',' or 'end of string'")
        return tuple(found)

    def _requirement(self) -> LabelRequirement:
        if self._peek() == "!":
            self._next()
            return LabelRequirement(self._key(), "absent")
        key = self._key()
        operator = self._peek()
        if operator in ("", ","):
            return LabelRequirement(key, "exists")
        self._next()
        if operator in ("=", "==", "!="):
            return LabelRequirement(key, "notin" if operator == "!=" else "in", frozenset((self._value(key),)))
        if operator in (">", "<"):
            return LabelRequirement(key, "gt" if operator == ">" else "lt", frozenset((self._number(),)))
        if operator == "in":
            return LabelRequirement(key, "in", self._values(key))
        if operator == "notin":
            return LabelRequirement(key, "notin", self._values(key))
        raise _unexpected(operator, "in, notin, =, ==, !=, gt, lt")

    def _key(self) -> str:
        word = self._next()
        if not word or word in _SYMBOLS:
            raise _unexpected(word, "!, identifier, or 'end of string'")
        problem = qualified_name_problem(word)
        if problem:
            raise bad_request(f'unable to parse requirement: key: Invalid value: "{word}": {problem}')
        return word

    def _value(self, key: str) -> str:
        if self._peek() in ("", ",", ")"):
            return ""
        word = self._next()
        problem = label_value_problem(word)
        if problem:
            raise bad_request(f'unable to parse requirement: values[0][{key}]: Invalid value: "{word}": {problem}')
        return word

    def _number(self) -> str:
        word = self._next()
        if not re.fullmatch(r"[+-]?\d+", word):
            message = f"values[0]: Invalid value: \"{word}\": for 'Gt', 'Lt' operators, the value must be an integer"
            raise bad_request(f"unable to parse requirement: {message}")
        return word

    def _values(self, key: str) -> frozenset[str]:
        opening = self._next()
        if opening != "(":
            raise _unexpected(opening, "'('")
        values = {self._value(key)}
        while self._peek() == ",":
            self._next()
            values.add(self._value(key))
        closing = self._next()
        if closing != ")":
            raise _unexpected(closing, "',' or ')'")
        return frozenset(values)

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        word = self._peek()
        self._at += 1
        return word


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _unexpected(found: str, expected: str) -> Exception:
    return bad_request(f"unable to parse requirement: found '{found}', expected: {expected}")
