"""`x-kubernetes-validations`: the rules a schema carries in CEL (kubernetes-api sheet §5.3)."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lab.apiserver.causes import duplicate, forbidden_value, invalid_object, invalid_value, required
from lab.apiserver.custom.cel.errors import EvaluationError, ExpressionError
from lab.apiserver.custom.cel.evaluation import evaluate
from lab.apiserver.custom.cel.functions import parse_duration, parse_moment
from lab.apiserver.custom.cel.parser import parse
from lab.apiserver.custom.schemas.correlation import old_elements, old_member
from lab.apiserver.custom.schemas.types import MAP_TYPE, MISSING, RULES, Schema, child, member
from lab.apiserver.errors import Cause

_OLD = re.compile(r"\boldSelf\b")
_SELF, _BOTH = frozenset({"self"}), frozenset({"self", "oldSelf"})
_CONVERSIONS: Mapping[str, Callable[[str], Any]] = {
    "byte": base64.b64decode, "date": lambda text: parse_moment(f"{text}T00:00:00Z"), "date-time": parse_moment,
    "duration": parse_duration,
}  # fmt: skip


def reading_problem(rule: Mapping[str, Any]) -> str:
    """Why a rule (or its messageExpression) cannot be read, "" when it can."""
    if rule.get("optionalOldSelf"):
        return "optionalOldSelf is not supported"
    try:
        for text in (rule.get("rule", ""), rule.get("messageExpression")):
            if text is not None:
                parse(text, _variables(text))
    except ExpressionError as error:
        return f"compilation failed: ERROR: <input>:1:{error.position + 1}: {error}"
    return ""


def has_rules(schema: Schema) -> bool:
    """True when the schema or a part of it carries rules."""
    parts = [*(schema.get("properties") or {}).values(), schema.get("items"), schema.get("additionalProperties")]
    return bool(schema.get(RULES)) or any(has_rules(part) for part in parts if isinstance(part, Mapping))


def broken_rules(schema: Schema, value: Any, path: str = "", old: Any = MISSING) -> Iterator[Cause]:
    """The rules a value breaks. Rules that name oldSelf run only when `old` is there, others only on what changed."""
    if value is None:
        return
    for rule in schema.get(RULES) or ():
        cause = _broken(rule, schema, value, path, old)
        if cause is not None:
            yield cause
    before = MISSING if schema.get(MAP_TYPE) == "atomic" else old
    if isinstance(value, Mapping):
        properties: Mapping[str, Schema] = schema.get("properties") or {}
        for name, item in value.items():
            known = member(schema, name)
            if known is not None:
                where = child(path, name) if name in properties else f"{path}[{name}]"
                yield from broken_rules(known, item, where, old_member(before, name))
    elif isinstance(value, list) and schema.get("items"):
        for index, (element, earlier) in enumerate(zip(value, old_elements(schema, value, old), strict=True)):
            yield from broken_rules(schema["items"], element, f"{path}[{index}]", earlier)


def _broken(rule: Mapping[str, Any], schema: Schema, value: Any, path: str, old: Any) -> Cause | None:
    compares = bool(_OLD.search(rule["rule"]))
    if (compares and old is MISSING) or (not compares and old is not MISSING and old == value):
        return None
    variables = {"self": _typed(schema, _visible(value, path))}
    if old is not MISSING:
        variables["oldSelf"] = _typed(schema, _visible(old, path))
    try:
        if evaluate(parse(rule["rule"], _variables(rule["rule"])), variables) is True:
            return None
        detail = _message(rule, variables)
    except EvaluationError as error:
        detail = f"{error} evaluating rule: {rule.get('message') or rule['rule']}"
    return _cause(rule, path + rule.get("fieldPath", ""), value, detail)


def _message(rule: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
    expression = rule.get("messageExpression")
    if expression:
        try:
            text = evaluate(parse(expression, _variables(expression)), variables)
        except (EvaluationError, KeyError):
            text = ""
        if isinstance(text, str) and text.strip():
            return text
    return str(rule.get("message") or f"failed rule: {rule['rule']}").strip()


def _cause(rule: Mapping[str, Any], path: str, value: Any, detail: str) -> Cause:
    field = path or "<nil>"
    match rule.get("reason", "FieldValueInvalid"):
        case "FieldValueForbidden":
            return forbidden_value(field, detail)
        case "FieldValueRequired":
            return required(field, detail)
        case "FieldValueDuplicate":
            return duplicate(field, value)
        case _:
            scalar = not isinstance(value, (Mapping, list))
            return invalid_value(field, value, detail) if scalar else invalid_object(field, detail)


def _variables(expression: str) -> frozenset[str]:
    return _BOTH if _OLD.search(expression) else _SELF


def _visible(value: Any, path: str) -> Any:
    """Rules at the root see of the metadata only the names."""
    if path or not isinstance(value, Mapping) or "metadata" not in value:
        return value
    names = {key: item for key, item in value["metadata"].items() if key in ("name", "generateName")}
    return {**value, "metadata": names}


def _typed(schema: Schema | None, value: Any) -> Any:
    """The value as expressions see it: a schema's `number` is a double, formatted strings are times and bytes."""
    if isinstance(value, Mapping):
        return {key: _typed(member(schema, key) if schema else None, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(schema.get("items") if schema else None, item) for item in value]
    if schema is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and schema.get("type") == "number":
        return float(value)
    convert = _CONVERSIONS.get(schema.get("format", "")) if isinstance(value, str) else None
    if convert is None:
        return value
    try:
        return convert(value)
    except ValueError:
        return value
