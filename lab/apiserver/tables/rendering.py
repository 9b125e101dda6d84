"""Objects in the form a client asked for: as they are, as a Table, or their metadata only (sheet §1.4, §3.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lab.apiserver.errors import bad_request
from lab.apiserver.resources import Resource
from lab.apiserver.tables.printers import printer_of

Include = Literal["Metadata", "Object", "None"]
META = "meta.k8s.io"
_INCLUDES: dict[str, Include] = {"": "Metadata", "Metadata": "Metadata", "Object": "Object", "None": "None"}


@dataclass(frozen=True, slots=True)
class TableForm:
    """How a client wants its tables: `meta.k8s.io` version, and what each row embeds."""

    version: str = "v1"
    include: Include = "Metadata"


def include_of(text: str) -> Include:
    """The `includeObject` parameter; raises 400 on a word it does not have."""
    if text not in _INCLUDES:
        raise bad_request(f'includeObject: unsupported value "{text}": supported values: "Metadata", "None", "Object"')
    return _INCLUDES[text]


def table(
    resource: Resource,
    items: Sequence[Mapping[str, Any]],
    metadata: Mapping[str, object],
    now: float,
    form: TableForm,
    *,
    with_columns: bool = True,
) -> dict[str, object]:
    """A Table of these objects. `metadata` is the list's; watch events after the first go without columns."""
    printer = printer_of(resource)
    columns = [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description or f"{column.name} of the {resource.kind}",
            "priority": column.priority,
        }
        for column in printer.columns
    ]
    rows = [_row(item, printer.cells(item, now), form) for item in items]
    body: dict[str, object] = {"kind": "Table", "apiVersion": f"{META}/{form.version}", "metadata": dict(metadata)}
    return {**body, "columnDefinitions": columns if with_columns else [], "rows": rows}


def partial(item: Mapping[str, Any], version: str = "v1") -> dict[str, object]:
    """The metadata of an object, as PartialObjectMetadata."""
    kind = {"kind": "PartialObjectMetadata", "apiVersion": f"{META}/{version}"}
    return {**kind, "metadata": item.get("metadata", {})}


def partial_list(
    items: Sequence[Mapping[str, Any]], metadata: Mapping[str, object], version: str = "v1"
) -> dict[str, object]:
    """A PartialObjectMetadataList."""
    kind = {"kind": "PartialObjectMetadataList", "apiVersion": f"{META}/{version}"}
    return {**kind, "metadata": dict(metadata), "items": [partial(item, version) for item in items]}


def _row(item: Mapping[str, Any], cells: list[Any], form: TableForm) -> dict[str, object]:
    if form.include == "None":
        return {"cells": cells, "object": None}
    return {"cells": cells, "object": dict(item) if form.include == "Object" else partial(item, form.version)}
