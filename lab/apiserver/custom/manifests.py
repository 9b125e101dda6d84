"""CustomResourceDefinitions for kinds that are described in code: so that they are found like any other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lab.apiserver.admission import SYSTEM, Caller, Object
from lab.apiserver.builtin.kinds import CRD
from lab.apiserver.custom.lifecycle import DefinitionController
from lab.apiserver.custom.schemas.types import PRESERVE, Schema
from lab.apiserver.resources import Column, Resource

ANYTHING: Schema = {"type": "object", PRESERVE: True}


def definition_of(versions: Iterable[Resource], storage: str = "") -> Object:
    """The definition of a kind from its versions; `storage` names the stored one (default: the first).

    A version without a schema takes every field.
    """
    served = tuple(versions)
    kind = served[0]
    stored = storage or kind.version
    names: dict[str, Any] = {"plural": kind.plural, "singular": kind.singular_name, "kind": kind.kind,
                             "listKind": kind.list_kind_name}  # fmt: skip
    if kind.short_names:
        names["shortNames"] = list(kind.short_names)
    if kind.categories:
        names["categories"] = list(kind.categories)
    return {
        "apiVersion": CRD.api_version,
        "kind": CRD.kind,
        "metadata": {"name": kind.qualified},
        "spec": {
            "group": kind.group,
            "names": names,
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "versions": [_version(version, version.version == stored) for version in served],
        },
    }


def install(controller: DefinitionController, definition: Object, caller: Caller = SYSTEM) -> None:
    """Create a definition and establish it at once, without waiting for the controller's turn."""
    created = controller.registry.api.create(CRD, definition, caller=caller)
    controller.reconcile(("", created["metadata"]["name"]))


def _version(resource: Resource, storage: bool) -> Object:
    version: Object = {
        "name": resource.version,
        "served": True,
        "storage": storage,
        "schema": {"openAPIV3Schema": dict(resource.schema or ANYTHING)},
    }
    subresources: dict[str, Any] = {"status": {}} if "status" in resource.subresources else {}
    if resource.scale is not None:
        subresources["scale"] = {
            "specReplicasPath": resource.scale.replicas, "statusReplicasPath": resource.scale.status_replicas,
            **({"labelSelectorPath": resource.scale.selector} if resource.scale.selector else {}),
        }  # fmt: skip
    if subresources:
        version["subresources"] = subresources
    if resource.columns:
        version["additionalPrinterColumns"] = [_column(column) for column in resource.columns]
    if resource.selectable_fields:
        version["selectableFields"] = [{"jsonPath": f".{path}"} for path in resource.selectable_fields]
    return version


def _column(column: Column) -> Object:
    entry: Object = {"name": column.name, "type": column.type, "jsonPath": column.path}
    for key, value in (
        ("priority", column.priority),
        ("format", column.format),
        ("description", column.description),
    ):
        if value:
            entry[key] = value
    return entry
