"""What a schema is here: its JSON form, read as it stands."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

Schema = Mapping[str, Any]
PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
EMBEDDED: Final = "x-kubernetes-embedded-resource"
INT_OR_STRING: Final = "x-kubernetes-int-or-string"
RULES: Final = "x-kubernetes-validations"
LIST_TYPE: Final = "x-kubernetes-list-type"
LIST_KEYS: Final = "x-kubernetes-list-map-keys"
MAP_TYPE: Final = "x-kubernetes-map-type"
ENVELOPE: Final = ("apiVersion", "kind", "metadata")  # what every object has, whatever its schema says


class Missing(Enum):
    """No value at all, as opposed to null."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


def member(schema: Schema, key: str) -> Schema | None:
    """The schema of a member of an object: its property, else what additionalProperties says; None: nothing known."""
    properties: Mapping[str, Schema] | None = schema.get("properties")
    if properties and key in properties:
        return properties[key]
    additional: Schema | bool | None = schema.get("additionalProperties")
    return None if isinstance(additional, bool) else additional


def child(path: str, name: str) -> str:
    """The path of a member: `spec.x`."""
    return f"{path}.{name}" if path else name
