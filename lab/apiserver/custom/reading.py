"""What a CustomResourceDefinition says, as the server's own descriptions of kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.apiserver.custom.schemas.types import PRESERVE, Schema
from lab.apiserver.resources import Column, Resource, ScalePaths

Definition = Mapping[str, Any]
Version = Mapping[str, Any]
_AGE = Column("Age", "date", ".metadata.creationTimestamp")
_ANYTHING: Schema = {"type": "object", PRESERVE: True}


def served_versions(definition: Definition) -> Iterator[Version]:
    """The versions that are served."""
    return (version for version in definition["spec"]["versions"] if version.get("served"))


def storage_version(definition: Definition) -> str:
    """Name of the version objects are stored in."""
    return next(str(version["name"]) for version in definition["spec"]["versions"] if version.get("storage"))


def schema_of(version: Version) -> Schema:
    """The schema of a version; a version without one takes everything."""
    schema: Schema = (version.get("schema") or {}).get("openAPIV3Schema") or _ANYTHING
    return schema


def resource_of(definition: Definition, version: Version) -> Resource:
    """The kind as this version serves it, under the names that were accepted."""
    spec = definition["spec"]
    names = {**spec["names"], **((definition.get("status") or {}).get("acceptedNames") or {})}
    subresources = version.get("subresources") or {}
    return Resource(
        group=spec["group"],
        version=version["name"],
        plural=names["plural"],
        kind=names["kind"],
        namespaced=spec["scope"] == "Namespaced",
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        subresources=tuple(name for name in ("status", "scale") if name in subresources),
        singular=names.get("singular") or "",
        list_kind=names.get("listKind") or "",
        custom=True,
        generation=True,
        unconditional_update=False,
        selectable_fields=tuple(entry["jsonPath"].removeprefix(".") for entry in version.get("selectableFields") or ()),
        columns=tuple(map(_column, version.get("additionalPrinterColumns") or ())) or (_AGE,),
        scale=_scale(subresources.get("scale")),
        schema=schema_of(version),
    )


def _column(entry: Mapping[str, Any]) -> Column:
    return Column(
        entry["name"], entry["type"], entry["jsonPath"], entry.get("priority", 0), entry.get("format", ""),
        entry.get("description", ""),
    )  # fmt: skip


def _scale(entry: Mapping[str, Any] | None) -> ScalePaths | None:
    if entry is None:
        return None
    return ScalePaths(entry["specReplicasPath"], entry["statusReplicasPath"], entry.get("labelSelectorPath", ""))
