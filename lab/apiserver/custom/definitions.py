"""What is right and wrong with a CustomResourceDefinition itself (sheet §5.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.builtin.conditions import condition
from lab.apiserver.builtin.shapes import FLAG, OBJECT, TEXT, WHOLE, array, obj, with_default
from lab.apiserver.causes import duplicate, invalid_object, invalid_value, not_supported, required
from lab.apiserver.custom.schemas.structure import problems
from lab.apiserver.errors import Cause
from lab.apiserver.naming import dns_label_problem
from lab.apiserver.tables.jsonpath import PathError, first

_SCOPES = ("Cluster", "Namespaced")
_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_IMMUTABLE = "field is immutable"
_NAMES = obj(plural=TEXT, singular=TEXT, kind=TEXT, listKind=TEXT, shortNames=array(TEXT), categories=array(TEXT))
_COLUMN = obj(name=TEXT, type=TEXT, jsonPath=TEXT, priority=WHOLE, format=TEXT, description=TEXT)
_SCALE = obj(specReplicasPath=TEXT, statusReplicasPath=TEXT, labelSelectorPath=TEXT)
_VERSION = obj(
    name=TEXT,
    served=with_default(FLAG, False),
    storage=with_default(FLAG, False),
    schema=obj(openAPIV3Schema=OBJECT),
    subresources=obj(status=OBJECT, scale=_SCALE),
    additionalPrinterColumns=array(_COLUMN),
    selectableFields=array(obj(jsonPath=TEXT)),
)
SHAPE = obj(
    spec=with_default(
        obj(
            group=TEXT,
            scope=TEXT,
            names=with_default(_NAMES, {}),
            versions=array(_VERSION),
            conversion=with_default(obj(strategy=with_default(TEXT, "None")), {}),
        ),
        {},
    )
)


def completed(new: Object, old: Object | None) -> Object:
    """The definition with the names that follow from others, and on create its first status."""
    spec = dict(new.get("spec") or {})
    names = dict(spec.get("names") or {})
    kind = names.get("kind") or ""
    names = {"singular": kind.lower(), "listKind": f"{kind}List", **names}
    result: Object = {**new, "spec": {**spec, "names": names}}
    if old is None:
        stored = [version.get("name") for version in spec.get("versions") or () if version.get("storage")]
        empty_names = {"kind": "", "plural": ""}
        result["status"] = {"acceptedNames": empty_names, "conditions": [], "storedVersions": stored}
    return result


def causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with the definition."""
    spec: Mapping[str, Any] = new["spec"]
    names: Mapping[str, Any] = spec["names"]
    if new["metadata"].get("name") != f"{names.get('plural')}.{spec.get('group')}":
        why = 'must be spec.names.plural+"."+spec.group'
        yield invalid_value("metadata.name", new["metadata"].get("name"), why)
    for field in ("group", "names.plural", "names.kind"):
        if not _at(spec, field.split(".")):
            yield required(f"spec.{field}")
    if spec.get("scope") not in _SCOPES:
        yield not_supported("spec.scope", spec.get("scope") or "", _SCOPES)
    yield from _versions(spec.get("versions") or [])
    if old is not None:
        yield from _fixed(new, old)


def _versions(versions: list[Mapping[str, Any]]) -> Iterator[Cause]:
    if not versions:
        yield required("spec.versions", "must have at least one version")
    seen: set[str] = set()
    for index, version in enumerate(versions):
        path, name = f"spec.versions[{index}]", version.get("name") or ""
        problem = dns_label_problem(name)
        if problem:
            yield invalid_value(f"{path}.name", name, problem)
        if name in seen:
            yield duplicate(f"{path}.name", name)
        seen.add(name)
        yield from _schema(version, path)
        yield from _columns(version, path)
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield invalid_object("spec.versions", "must have exactly one version marked as storage version")


def _schema(version: Mapping[str, Any], path: str) -> Iterator[Cause]:
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    where = f"{path}.schema.openAPIV3Schema"
    if schema is None:
        yield required(where, "schemas are required")
    else:
        yield from problems(schema, where)
    scale = (version.get("subresources") or {}).get("scale")
    if scale is None:
        return
    for field, start in (("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")):
        value = scale.get(field) or ""
        if not value.startswith(f"{start}."):
            yield invalid_value(f"{path}.subresources.scale.{field}", value, f"should be a json path under {start}")


def _columns(version: Mapping[str, Any], path: str) -> Iterator[Cause]:
    for index, column in enumerate(version.get("additionalPrinterColumns") or ()):
        where = f"{path}.additionalPrinterColumns[{index}]"
        if not column.get("name"):
            yield required(f"{where}.name")
        if column.get("type") not in _COLUMN_TYPES:
            yield not_supported(f"{where}.type", column.get("type") or "", _COLUMN_TYPES)
        yield from _path(column.get("jsonPath"), f"{where}.jsonPath")
    for index, entry in enumerate(version.get("selectableFields") or ()):
        yield from _path(entry.get("jsonPath"), f"{path}.selectableFields[{index}].jsonPath")


def _path(path: str | None, where: str) -> Iterator[Cause]:
    if not path:
        yield required(where)
        return
    try:
        first({}, path)
    except PathError as error:
        yield invalid_value(where, path, str(error))


def _fixed(new: Object, old: Object) -> Iterator[Cause]:
    """What may not change once the definition is established."""
    found = condition(old.get("status") or {}, "Established")
    if found is not None and found.get("status") == "True":
        for field in ("group", "scope", "names.kind", "names.plural"):
            before, after = _at(old["spec"], field.split(".")), _at(new["spec"], field.split("."))
            if before != after:
                yield invalid_value(f"spec.{field}", after, _IMMUTABLE)
    present = {version.get("name") for version in new["spec"].get("versions") or ()}
    for index, name in enumerate((new.get("status") or {}).get("storedVersions") or ()):
        if name not in present:
            why = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in "
                f"spec.versions until a storage migration ensures no data remains persisted in {name} and removes "
                f"{name} from status.storedVersions"
            )
            yield invalid_value(f"status.storedVersions[{index}]", name, why)


def _at(value: Any, path: list[str]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
