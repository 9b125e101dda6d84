"""Shapes of built-in kinds: the types and fixed defaults of their fields, in the words of structural schemas.

Only what is checked or defaulted is listed; other fields pass as they are.
"""

from __future__ import annotations

from typing import Any, Final

from lab.apiserver.custom.schemas.types import INT_OR_STRING, PRESERVE, Schema

TEXT: Final[Schema] = {"type": "string"}
WHOLE: Final[Schema] = {"type": "integer"}
FLAG: Final[Schema] = {"type": "boolean"}
OBJECT: Final[Schema] = {"type": "object", PRESERVE: True}
QUANTITY: Final[Schema] = {INT_OR_STRING: True, "format": "quantity"}
INT_OR_TEXT: Final[Schema] = {INT_OR_STRING: True}
MICRO_TIME: Final[Schema] = {"type": "string", "format": "micro-time"}


def obj(**properties: Schema) -> Schema:
    """An object with these members, and others that are not looked at."""
    return {"type": "object", "properties": properties, PRESERVE: True}


def array(items: Schema) -> Schema:
    """A list of these."""
    return {"type": "array", "items": items}


def mapping(values: Schema) -> Schema:
    """A map from text to these."""
    return {"type": "object", "additionalProperties": values}


def with_default(schema: Schema, value: Any) -> Schema:
    """The same, filled in with a value when it is absent."""
    return {**schema, "default": value}


TEXTS: Final[Schema] = mapping(with_default(TEXT, ""))  # null counts as ""
SELECTOR: Final[Schema] = obj(
    matchLabels=TEXTS, matchExpressions=array(obj(key=TEXT, operator=TEXT, values=array(TEXT)))
)
