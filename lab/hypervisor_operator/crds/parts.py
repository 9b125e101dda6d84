"""What the schemas of both kinds are made of: types, conditions, quantities, and the frame of a definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lab.apiserver.custom.schemas.types import INT_OR_STRING, LIST_KEYS, LIST_TYPE, RULES, Schema
from lab.apiserver.resources import Resource

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
WHOLE: Schema = {"type": "integer"}
LONG: Schema = {"type": "integer", "format": "int64"}
NAME: Schema = {"type": "string", "minLength": 1}
TEXTS: Schema = {"type": "array", "items": TEXT}
TIME: Schema = {"type": "string", "format": "date-time"}
QUANTITY: Schema = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
    INT_OR_STRING: True,
}
_DNS = r"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
_CONDITION: Schema = {
    "type": "object",
    "properties": {
        "lastTransitionTime": TIME,
        "message": {"type": "string", "maxLength": 32768},
        "observedGeneration": {**LONG, "minimum": 0},
        "reason": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1024,
            "pattern": r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        },
        "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
        "type": {
            "type": "string",
            "maxLength": 316,
            "pattern": rf"^{_DNS}(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
        },
    },
    "required": ["lastTransitionTime", "message", "reason", "status", "type"],
}
_ENVELOPE: dict[str, Schema] = {"apiVersion": TEXT, "kind": TEXT, "metadata": {"type": "object"}}
CONDITIONS: Schema = {"type": "array", "items": _CONDITION, LIST_TYPE: "map", LIST_KEYS: ["type"]}


def obj(properties: Mapping[str, Schema], *required: str) -> Schema:
    """An object with exactly these members: any other is pruned."""
    found: dict[str, Any] = {"type": "object", "properties": dict(properties)}
    return {**found, "required": list(required)} if required else found


def array(items: Schema) -> Schema:
    """A list of these."""
    return {"type": "array", "items": items}


def mapping(values: Schema) -> Schema:
    """A map from text to these."""
    return {"type": "object", "additionalProperties": values}


def default(schema: Schema, value: Any) -> Schema:
    """The same, filled in when it is absent or null."""
    return {**schema, "default": value}


def ruled(schema: Schema, *rules: tuple[str, str]) -> Schema:
    """The same under rules in CEL: (rule, message)."""
    return {**schema, RULES: [{"rule": rule, "message": message} for rule, message in rules]}


def column(name: str, path: str, *, type: str = "string", priority: int = 0) -> dict[str, Any]:  # noqa: A002  the field's own word
    """A printer column."""
    entry: dict[str, Any] = {"name": name, "type": type, "jsonPath": path}
    return {**entry, "priority": priority} if priority else entry


def condition_column(name: str, kind: str, field: str, *, priority: int = 0) -> dict[str, Any]:
    """A printer column that shows one field of a condition."""
    return column(name, f'.status.conditions[?(@.type=="{kind}")].{field}', priority=priority)


def definition(
    resource: Resource, columns: Sequence[Mapping[str, Any]], spec: Schema, status: Schema
) -> dict[str, Any]:
    """A CustomResourceDefinition with one version and a status subresource."""
    version = {
        "name": resource.version,
        "served": True,
        "storage": True,
        "additionalPrinterColumns": [dict(entry) for entry in columns],
        "schema": {"openAPIV3Schema": obj({**_ENVELOPE, "spec": spec, "status": status})},
        "subresources": {"status": {}},
    }
    names = {
        "kind": resource.kind,
        "listKind": resource.list_kind_name,
        "plural": resource.plural,
        "singular": resource.singular_name,
        "shortNames": list(resource.short_names),
    }
    return {
        "metadata": {"name": resource.qualified},
        "spec": {"group": resource.group, "scope": "Cluster", "names": names, "versions": [version]},
    }
