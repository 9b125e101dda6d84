"""How values merge: which lists are keyed or sets, which maps are replaced whole (kubernetes-api sheet §4.4, §4.5).

A shape describes one place in an object. Where nothing is known, maps are granular and lists are atomic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lab.apiserver.patching.builtin_shapes import BUILTIN_SHAPES, METADATA
from lab.apiserver.patching.shape import ANYTHING, Shape
from lab.apiserver.resources import Resource

_LIST_TYPES: dict[object, Literal["atomic", "map", "set"]] = {"map": "map", "set": "set"}


@dataclass(frozen=True, slots=True)
class _Known:
    schema: Mapping[str, object] | None
    shape: Shape


@dataclass(frozen=True, slots=True)
class Shapes:
    """Shapes of whole objects by kind; those of custom resources follow from their present schema."""

    _known: dict[tuple[str, str, str], _Known] = field(default_factory=dict)

    def of(self, resource: Resource) -> Shape:
        """The shape of an object of this kind."""
        key = (resource.group, resource.version, resource.plural)
        known = self._known.get(key)
        if known is None or known.schema is not resource.schema:
            known = self._known[key] = _Known(resource.schema, _shape(resource))
        return known.shape


def _shape(resource: Resource) -> Shape:
    builtin = BUILTIN_SHAPES.get((resource.group, resource.plural))
    if builtin is not None:
        return builtin
    body = ANYTHING if resource.schema is None else of_schema(resource.schema)
    return Shape(members={**body.members, "metadata": METADATA}, rest=body.rest)


def of_schema(schema: Mapping[str, Any]) -> Shape:
    """The shape an OpenAPI v3 schema describes by its `x-kubernetes-list-*` and `x-kubernetes-map-type` marks."""
    if schema.get("x-kubernetes-map-type") == "atomic":
        return Shape(atomic=True)
    members = {name: of_schema(child) for name, child in (schema.get("properties") or {}).items()}
    extra = schema.get("additionalProperties")
    rest = of_schema(extra) if isinstance(extra, Mapping) else None
    items = schema.get("items")
    item = of_schema(items) if isinstance(items, Mapping) else None
    keys = tuple(schema.get("x-kubernetes-list-map-keys") or ())
    shape = Shape(
        members={name: child for name, child in members.items() if child != ANYTHING},
        rest=None if rest == ANYTHING else rest,
        listed=_LIST_TYPES.get(schema.get("x-kubernetes-list-type"), "atomic"),
        keys=keys,
        item=None if item == ANYTHING else item,
        key_defaults=_key_defaults(items, keys),
    )
    return ANYTHING if shape == ANYTHING else shape


def _key_defaults(items: object, keys: tuple[str, ...]) -> dict[str, object]:
    properties = items.get("properties") if isinstance(items, Mapping) else None
    if not isinstance(properties, Mapping):
        return {}
    return {key: properties[key]["default"] for key in keys if "default" in (properties.get(key) or {})}
