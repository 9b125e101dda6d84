"""The frame of Cortex' definitions, and the parts that several of them share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lab.apiserver.custom.schemas.types import MAP_TYPE, PRESERVE, Schema
from lab.apiserver.resources import Resource
from lab.hypervisor_operator.crds import parts
from lab.hypervisor_operator.crds.parts import QUANTITY, TEXT, array, mapping, obj

NUMBER: Schema = {"type": "number"}
ANYTHING: Schema = {"type": "object", PRESERVE: True}
AMOUNTS = mapping(QUANTITY)
NUMBERS = mapping(NUMBER)
CONDITIONS = array(parts.CONDITIONS["items"])  # one atomic list here: no map by type
_FIELDS = ("apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid")
REFERENCE: Schema = {**obj(dict.fromkeys(_FIELDS, TEXT)), MAP_TYPE: "atomic"}


def ready_column(name: str = "Ready", field: str = "status") -> dict[str, Any]:
    """A printer column that shows a field of the condition Ready."""
    return parts.condition_column(name, "Ready", field)


def definition(
    resource: Resource, columns: Sequence[Mapping[str, Any]], spec: Schema, status: Schema
) -> dict[str, Any]:
    """A CustomResourceDefinition whose `spec` is required, with the kind's selectable fields."""
    result = parts.definition(resource, columns, spec, status)
    version = result["spec"]["versions"][0]
    version["schema"]["openAPIV3Schema"]["required"] = ["spec"]
    if resource.selectable_fields:
        version["selectableFields"] = [{"jsonPath": f".{path}"} for path in resource.selectable_fields]
    return result
