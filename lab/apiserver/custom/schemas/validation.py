"""Validation of values by a structural schema, in the words of kube-openapi (kubernetes-api sheet §5.2).

What did not change is not judged again (ratcheting): an object that broke a rule before the rule existed can still be
written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson

from lab.apiserver.causes import (
    duplicate,
    invalid_value,
    not_supported,
    printed,
    required,
    too_long,
    too_many,
    type_invalid,
)
from lab.apiserver.custom.schemas.correlation import element_key, old_elements, old_member
from lab.apiserver.custom.schemas.formats import fits, pattern
from lab.apiserver.custom.schemas.types import EMBEDDED, INT_OR_STRING, LIST_TYPE, MISSING, Schema, child, member
from lab.apiserver.errors import Cause

_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"), (dict, "object"),
)  # fmt: skip
_NO_VALUE = ""  # what composite errors print as the value


def violations(schema: Schema, value: Any, path: str = "", old: Any = MISSING) -> Iterator[Cause]:
    """What is wrong with a value; `old` is what it replaces."""
    if (old is not MISSING and old == value) or (value is None and schema.get("nullable")):
        return
    wrong = _wrong_type(schema, value, path)
    if wrong is not None:
        yield wrong
        return
    if schema.get("enum") is not None and value not in schema["enum"]:
        yield not_supported(path, value, [each if isinstance(each, str) else printed(each) for each in schema["enum"]])
    if schema.get("format") and not fits(schema["format"], value):
        yield type_invalid(path, value, f"{path} in body must be of type {schema['format']}: {printed(value)}")
    if isinstance(value, str):
        yield from _text(schema, value, path)
    elif isinstance(value, list):
        yield from _array(schema, value, path, old)
    elif isinstance(value, Mapping):
        yield from _object(schema, value, path, old)
    elif not isinstance(value, bool) and value is not None:
        yield from _number(schema, value, path)
    yield from _combined(schema, value, path)


def _wrong_type(schema: Schema, value: Any, path: str) -> Cause | None:
    found = next((name for kind, name in _TYPES if isinstance(value, kind)), "null")
    if schema.get(INT_OR_STRING):
        wanted, fine = "integer,string", found in ("integer", "string")
    else:
        wanted = schema.get("type", "")
        whole = found == "number" and float(value).is_integer()
        fine = not wanted or found == wanted or (wanted == "number" and found == "integer") or (
            wanted == "integer" and whole
        )  # fmt: skip
    if fine:
        return None
    field = path or "<root>"
    return type_invalid(field, found, f'{field} in body must be of type {wanted}: "{found}"')


def _text(schema: Schema, value: str, path: str) -> Iterator[Cause]:
    if "minLength" in schema and len(value) < schema["minLength"]:
        yield invalid_value(path, value, f"{path} in body should be at least {schema['minLength']} chars long")
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        yield too_long(path, schema["maxLength"])
    if schema.get("pattern") and not pattern(schema["pattern"]).search(value):
        yield invalid_value(path, value, f"{path} in body should match '{schema['pattern']}'")


def _number(schema: Schema, value: float, path: str) -> Iterator[Cause]:
    low, high, step = schema.get("minimum"), schema.get("maximum"), schema.get("multipleOf")
    if low is not None and (value <= low if schema.get("exclusiveMinimum") else value < low):
        words = "greater than" if schema.get("exclusiveMinimum") else "greater than or equal to"
        yield invalid_value(path, value, f"{path} in body should be {words} {printed(low)}")
    if high is not None and (value >= high if schema.get("exclusiveMaximum") else value > high):
        words = "less than" if schema.get("exclusiveMaximum") else "less than or equal to"
        yield invalid_value(path, value, f"{path} in body should be {words} {printed(high)}")
    if step and abs(value / step - round(value / step)) > 1e-9:
        yield invalid_value(path, value, f"{path} in body should be a multiple of {printed(step)}")


def _array(schema: Schema, value: list[Any], path: str, old: Any) -> Iterator[Cause]:
    if "minItems" in schema and len(value) < schema["minItems"]:
        yield invalid_value(path, len(value), f"{path} in body should have at least {schema['minItems']} items")
    if "maxItems" in schema and len(value) > schema["maxItems"]:
        yield too_many(path, len(value), schema["maxItems"])
    if schema.get("uniqueItems") and len({_json(element) for element in value}) < len(value):
        yield invalid_value(path, _NO_VALUE, f"{path} in body shouldn't contain duplicates")
    for index, (element, before) in enumerate(zip(value, old_elements(schema, value, old), strict=True)):
        yield from violations(schema.get("items") or {}, element, f"{path}[{index}]", before)
    yield from _repeated(schema, value, path)


def _repeated(schema: Schema, value: list[Any], path: str) -> Iterator[Cause]:
    """Elements that a set or a map list has twice."""
    identify = _IDENTITIES.get(schema.get(LIST_TYPE, ""))
    seen: set[str] = set()
    for index, element in enumerate(value if identify else ()):
        key = identify(schema, element) if identify else ""
        if key in seen:
            yield duplicate(f"{path}[{index}]", orjson.loads(key))
        seen.add(key)


def _object(schema: Schema, value: Mapping[str, Any], path: str, old: Any) -> Iterator[Cause]:
    if "minProperties" in schema and len(value) < schema["minProperties"]:
        yield invalid_value(path, value, f"{path} in body should have at least {schema['minProperties']} properties")
    if "maxProperties" in schema and len(value) > schema["maxProperties"]:
        yield too_many(path, len(value), schema["maxProperties"])
    for name in schema.get("required") or ():
        if name not in value:
            yield required(child(path, name))
    if schema.get(EMBEDDED):
        yield from (
            required(child(path, name), "must not be empty") for name in ("apiVersion", "kind") if not value.get(name)
        )
    for name, item in value.items():
        known = member(schema, name)
        if known is not None:
            yield from violations(known, item, child(path, name), old_member(old, name))


def _combined(schema: Schema, value: Any, path: str) -> Iterator[Cause]:
    if "not" not in schema and not any(word in schema for word in _COMBINED):
        return
    failures = {word: [list(violations(each, value, path)) for each in schema.get(word) or ()] for word in _COMBINED}
    for causes in failures["allOf"]:
        yield from causes
    if any(failures["allOf"]):
        yield _composite(path, "must validate all the schemas (allOf)")
    if failures["anyOf"] and all(failures["anyOf"]):
        yield _composite(path, "must validate at least one schema (anyOf)")
        yield from min(failures["anyOf"], key=len)
    passed = sum(not causes for causes in failures["oneOf"])
    if failures["oneOf"] and passed != 1:
        found = "Found none valid" if passed == 0 else f"Found {passed} valid alternatives"
        yield _composite(path, f"must validate one and only one schema (oneOf). {found}")
        if passed == 0:
            yield from min(failures["oneOf"], key=len)
    if "not" in schema and not list(violations(schema["not"], value, path)):
        yield _composite(path, "must not validate the schema (not)")


def _composite(path: str, what: str) -> Cause:
    return invalid_value(path or "<nil>", _NO_VALUE, f'"{path}" {what}')


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


_COMBINED = ("allOf", "anyOf", "oneOf")
_IDENTITIES: Mapping[str, Callable[[Schema, Any], str]] = {
    "set": lambda _, element: _json(element),
    "map": element_key,
}
