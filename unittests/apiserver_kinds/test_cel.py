"""Expressions: the rules found in definitions in use, and the edges of each construct."""

import pytest

from lab.apiserver.custom.cel.errors import EvaluationError, ExpressionError
from lab.apiserver.custom.cel.evaluation import evaluate
from lab.apiserver.custom.cel.parser import parse


def value(expression, **variables):
    return evaluate(parse(expression, frozenset(variables)), variables)


@pytest.mark.parametrize(
    ("rule", "variables", "expected"),
    [
        ("self == oldSelf", {"self": {"a": [1, {"b": 2}]}, "oldSelf": {"a": [1, {"b": 2}]}}, True),
        ("self == oldSelf", {"self": "a", "oldSelf": "b"}, False),
        ("self >= oldSelf", {"self": 3, "oldSelf": 2}, True),
        ("has(self.a) && self.a.size() > 0", {"self": {"a": ""}}, False),
        ("has(self.a) && self.a.size() > 0", {"self": {}}, False),
        ("size(self.xs) > 0", {"self": {"xs": [1]}}, True),
        ("(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1", {"self": {"a": 1}}, True),
        ("(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1", {"self": {"a": 1, "b": 1}}, False),
        ("self.all(k, self[k] >= 1.0)", {"self": {"cpu": 1, "memory": 1.5}}, True),
        ("self.all(k, self[k] >= 1.0)", {"self": {"cpu": 0.5}}, False),
        ("self.exists(r, r == 'none')", {"self": ["x", "none"]}, True),
        (
            "self.all(x, self.exists_one(y, x.name.lowerAscii() == y.name.lowerAscii()))",
            {"self": [{"name": "a"}, {"name": "A"}]},
            False,
        ),
        ("self.startsWith('/')", {"self": "/a"}, True),
        ("!self.contains('..')", {"self": "/a/../b"}, False),
        ("self == true", {"self": True}, True),
        ("self.name != ''", {"self": {"name": ""}}, False),
    ],
)
def test_rules_found_in_definitions_in_use(rule, variables, expected):
    assert value(rule, **variables) is expected


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        ({"a": "x", "c": 1}, {"a": "x", "c": 2}, False),
        ({"a": "x", "c": 1}, {"a": "y", "c": 2}, True),
        ({"a": "x", "c": 1}, {"a": "x", "c": 1}, True),
        ({"c": 1}, {"a": "x", "c": 2}, True),
    ],
)
def test_the_termination_rule(old, new, allowed):
    rule = "!has(oldSelf.a) || oldSelf.a != 'x' || self.a == 'y' || self == oldSelf"
    assert value(rule, self=new, oldSelf=old) is allowed


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 + 2 * 3 - 4 / 2", 5),
        ("(1 + 2) * 3", 9),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("7.5 / 2.5", 3.0),
        ("-(3)", -3),
        ("0x1F", 31),
        ("1.5e2", 150.0),
        ("1 == 1.0", True),
        ("1 < 1.5", True),
        ("true == 1", False),
        ("null == null", True),
        ("'a' + \"b\"", "ab"),
        ("[1, 2,] + [3]", [1, 2, 3]),
        ("{'a': 1, 'b': [2]}", {"a": 1, "b": [2]}),
        ("2 in [1, 2]", True),
        ("'a' in {'a': 1}", True),
        ("[1, 2, 3][1]", 2),
        ("{'a': 1}['a']", 1),
        ("false ? 1 : true ? 2 : 3", 2),
        ("!!true", True),
        ("'\\u00e4\\n\\x41\\101\\''", "ä\nAA'"),
        ("r'\\d'", "\\d"),
        ("[1, 2, 3].filter(x, x > 1)", [2, 3]),
        ("[1, 2].map(x, x * 2)", [2, 4]),
        ("[1, 2, 3].map(x, x > 1, x * 2)", [4, 6]),
        ("{'a': 1}.exists(k, k == 'a')", True),
        ("[1, 1].exists_one(x, x == 1)", False),
        ("'a,b'.split(',')", ["a", "b"]),
        ("'a,b,c'.split(',', 2)", ["a", "b,c"]),
        ("'abc'.split('')", ["a", "b", "c"]),
        ("['a', 'b'].join('-')", "a-b"),
        ("' a '.trim().upperAscii()", "A"),
        ("'hello'.replace('l', 'L', 1)", "heLlo"),
        ("'hello'.substring(1, 3)", "el"),
        ("'hello'.indexOf('l')", 2),
        ("'hello'.charAt(5)", ""),
        ("'a1'.matches('[0-9]$')", True),
        ("matches('a1', '^[0-9]')", False),
        ("'ab'.endsWith('b')", True),
        ("size('äö')", 2),
        ("int('12') + int(3.9)", 15),
        ("double('1.5')", 1.5),
        ("string(12) + string(1.0) + string(true)", "121true"),
        ("duration('1h30m') > duration('89m')", True),
        ("timestamp('2026-01-01T00:00:00Z') + duration('1h') == timestamp('2026-01-01T01:00:00Z')", True),
        ("timestamp('2026-01-01T01:00:00Z') - timestamp('2026-01-01T00:00:00Z') == duration('60m')", True),
        ("type(1) == int && type('') == string && type([]) != map", True),
        ("dyn(1) == 1", True),
        ("// a comment\n 1", 1),
    ],
)
def test_values(expression, expected):
    found = value(expression)
    assert (found, type(found)) == (expected, type(expected))


def test_names_that_are_no_identifiers_are_written_escaped():
    assert value("self.a__dash__b == 1 && self.__namespace__ == 2", self={"a-b": 1, "namespace": 2})


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("self.x || true", True), ("true || self.x", True), ("false && self.x", False), ("self.x && false", False)],
)
def test_a_side_that_decides_absorbs_the_error_of_the_other(expression, expected):
    assert value(expression, self={}) is expected


def test_macros_absorb_errors_likewise():
    assert value("self.exists(x, x.a == 1)", self=[{}, {"a": 1}]) is True
    assert value("self.all(x, x.a == 1)", self=[{}, {"a": 2}]) is False
    with pytest.raises(EvaluationError, match="no such key: a"):
        value("self.all(x, x.a == 1)", self=[{}, {"a": 1}])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("self.x || false", "no such key: x"),
        ("self['x']", "no such key: x"),
        ("[1][1]", "index out of bounds: 1"),
        ("1 / 0", "division by zero"),
        ("1 % 0", "modulus by zero"),
        ("9223372036854775807 + 1", "integer overflow"),
        ("1 + 1.0", r"no such overload: int \+ double"),
        ("1 < 'a'", "no such overload: int < string"),
        ("'a' in 'abc'", "no such overload: string in string"),
        ("1 && true", "no such overload: int where a bool is needed"),
        ("'a'.startsWith(1)", "no such overload"),
        ("size(1)", r"no such overload: size\(int\)"),
        ("'a'.size(1)", r"no such overload: size\(string, int\)"),
        ("int('x')", "type conversion error from 'x' to 'int'"),
        ("duration('1 hour')", "type conversion error"),
        ("timestamp('2026-01-01')", "type conversion error"),
        ("'a'.substring(2)", "index out of range"),
        ("'a'.matches('(')", "error parsing regexp"),
    ],
)
def test_errors_of_evaluation(expression, message):
    with pytest.raises(EvaluationError, match=message):
        value(expression, self={})


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("self.", "mismatched input"),
        ("self &", "token recognition error"),
        ("(self", "expecting '\\)'"),
        ("self self", "mismatched input 'self'"),
        ("other == 1", "undeclared reference to 'other'"),
        ("isURL(self)", "undeclared reference to 'isURL'"),
        ("self.getFullYear() == 1", "undeclared reference to 'getFullYear'"),
        ("has(self)", r"invalid argument to has\(\) macro"),
        ("self.all(x, y == 1)", "undeclared reference to 'y'"),
        ("9223372036854775808", "invalid int literal"),
        ("'\\q'", "unknown escape sequence"),
        ("namespace == 1", "reserved identifier: namespace"),
    ],
)
def test_what_the_language_does_not_have_is_refused_when_it_is_read(expression, message):
    with pytest.raises(ExpressionError, match=message):
        parse(expression, frozenset({"self"}))
