"""Whatever is written as a rule: it is refused, or it has a value, or its evaluation fails; nothing else happens."""

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st

from lab.apiserver.custom.cel.errors import EvaluationError, ExpressionError
from lab.apiserver.custom.cel.evaluation import evaluate
from lab.apiserver.custom.cel.parser import parse

WORDS = (
    *("self", "oldSelf", "x", "true", "false", "null", "0", "1", "-1", "2.5", "'a'", '"b"'),
    *("[", "]", "{", "}", "(", ")", ".", ",", ":", "?", "!", "-", "+", "*", "/", "%"),
    *("==", "!=", "<", "<=", ">", ">=", "in", "&&", "||", ".a", ".b", "[0]", "['a']"),
    *("has(", "size(", "int(", "string(", "duration(", "timestamp(", "type("),
    *(".size(", ".all(x,", ".exists(x,", ".map(x,", ".filter(x,", ".exists_one(x,"),
    *(".matches(", ".split(", ".startsWith(", ".substring(", ".join(", ".indexOf("),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    max_leaves=8,
)
NAMES = frozenset({"self", "oldSelf"})


def outcome(expression, value):
    with contextlib.suppress(ExpressionError, EvaluationError):
        return evaluate(parse(expression, NAMES), {"self": value, "oldSelf": value})
    return None


@settings(max_examples=250, derandomize=True)
@given(st.lists(st.sampled_from(WORDS), max_size=9), JSON)
def test_words_in_any_order(words, value):
    outcome(" ".join(words), value)


@settings(max_examples=80, derandomize=True)
@given(st.text(max_size=12))
def test_any_text(text):
    outcome(text, {"a": 1})


@settings(max_examples=60, derandomize=True)
@given(JSON)
def test_every_value_equals_itself(value):
    assert outcome("self == oldSelf", value) is True


OPERANDS = ["self", "oldSelf", "1", "2.0", "'a'", "[1]", "{'a': 1}", "true", "null", "duration('1h')",
            "timestamp('2026-01-01T00:00:00Z')", "type(1)", "self.a", "self[0]"]  # fmt: skip
METHODS = ["size()", "contains('a')", "startsWith(self)", "matches(self)", "split(',')", "split('')", "trim()",
           "substring(1)", "substring(0, 1)", "charAt(0)", "indexOf(self)", "join(',')", "replace('a', 'b')",
           "lowerAscii()", "all(x, x == 1)", "map(x, x + 1)", "exists_one(x, x)", "filter(x, true)"]  # fmt: skip


@settings(max_examples=300, derandomize=True)
@given(
    st.sampled_from(OPERANDS),
    st.sampled_from(["+", "-", "*", "/", "%", "<", "==", "in", "&&", *METHODS]),
    st.sampled_from(OPERANDS),
    JSON,
)
def test_every_operation_on_every_type(left, operation, right, value):
    expression = f"({left}).{operation}" if "(" in operation else f"({left}) {operation} ({right})"
    outcome(expression, value)
