"""Which part of the old object a part of the new one corresponds to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lab.apiserver.custom.schemas.types import LIST_KEYS, LIST_TYPE, MISSING, Schema


def old_member(old: Any, key: str) -> Any:
    """The old value of a member; MISSING when there was none."""
    return old.get(key, MISSING) if isinstance(old, Mapping) else MISSING


def old_elements(schema: Schema, new: Sequence[Any], old: Any) -> list[Any]:
    """For each element its old state, found by the keys of a map list; MISSING in all other lists."""
    if schema.get(LIST_TYPE) != "map" or not isinstance(old, list):
        return [MISSING] * len(new)
    known = {element_key(schema, element): element for element in old}
    return [known.get(element_key(schema, element), MISSING) for element in new]


def element_key(schema: Schema, element: Any) -> str:
    """What identifies an element of a map list: its key members, defaults counted, as JSON."""
    properties: Mapping[str, Schema] = (schema.get("items") or {}).get("properties") or {}
    values = element if isinstance(element, Mapping) else {}
    keys = {name: values.get(name, properties.get(name, {}).get("default")) for name in schema.get(LIST_KEYS) or ()}
    return json.dumps(keys, sort_keys=True, separators=(",", ":"))
