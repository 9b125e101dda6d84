"""CustomResourceDefinitions of KubeVirt and HCO, as a cluster lists them (kubevirt sheet §1.1, §1.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CRD
from lab.apiserver.custom.lifecycle import DefinitionController
from lab.apiserver.resources import Resource
from lab.kubevirt.callers import Callers
from lab.kubevirt.hco.conversion import to_v1, to_v1beta1
from lab.kubevirt.hco.generate import live_migration_defaults
from lab.kubevirt.kinds import HCO, KUBEVIRT, POLICY, VM, VMI, VMIM

Schema = Mapping[str, Any]
Column = dict[str, Any]
_KEPT = {"x-kubernetes-preserve-unknown-fields": True}
_ANYTHING: Schema = {"type": "object", **_KEPT}
_TEXT: Schema = {"type": "string"}
_AGE: Column = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}


@dataclass(frozen=True, slots=True)
class Shape:
    """What a definition adds to a kind: columns, the schema of its spec, and further served versions."""

    resource: Resource
    columns: tuple[Column, ...]
    spec: Schema
    others: tuple[tuple[str, Schema, bool], ...] = ()  # version, schema of its spec, deprecated


def _column(name: str, path: str, *, priority: int = 0, description: str = "") -> Column:
    column: Column = {"name": name, "type": "string", "jsonPath": path}
    if priority:
        column["priority"] = priority
    return {**column, "description": description} if description else column


def _condition(name: str, kind: str, *, priority: int = 0) -> Column:
    return _column(name, f".status.conditions[?(@.type=='{kind}')].status", priority=priority)


def _object(properties: Mapping[str, Schema], *required: str) -> Schema:
    found: dict[str, Any] = {"type": "object", "properties": dict(properties), **_KEPT}
    return {**found, "required": list(required)} if required else found


_VM_SPEC = _object({"runStrategy": _TEXT, "running": {"type": "boolean"}, "template": _ANYTHING}, "template")
_VMI_SPEC = _object({"domain": _ANYTHING, "evictionStrategy": _TEXT, "nodeSelector": _ANYTHING}, "domain")
_VMIM_SPEC = _object({"vmiName": _TEXT, "priority": _TEXT, "addedNodeSelector": _ANYTHING})
_TEXT_MAP: Schema = {"type": "object", "additionalProperties": _TEXT}
_POLICY_SPEC = _object(
    {
        "allowAutoConverge": {"type": "boolean"},
        "allowPostCopy": {"type": "boolean"},
        "allowWorkloadDisruption": {"type": "boolean"},
        "bandwidthPerMigration": {"x-kubernetes-int-or-string": True},
        "completionTimeoutPerGiB": {"type": "integer", "format": "int64"},
        "selectors": _object({"namespaceSelector": _TEXT_MAP, "virtualMachineInstanceSelector": _TEXT_MAP}),
    },
    "selectors",
)
_GATE_LISTS = _object({name: {"type": "array", "items": _TEXT} for name in ("featureGates", "disabledFeatureGates")})
_KUBEVIRT_SPEC = _object({"configuration": _object({"developerConfiguration": _GATE_LISTS})})
_GATE = _object(
    {"name": _TEXT, "state": {"type": "string", "enum": ["Enabled", "Disabled"], "default": "Enabled"}}, "name"
)
_GATE_MAP: Schema = {"type": "object", "additionalProperties": {"type": "boolean"}}


def _live_migration(hco_version: str) -> Schema:
    defaults = live_migration_defaults(hco_version)
    kinds = {bool: {"type": "boolean"}, int: {"type": "integer", "format": "int64"}}
    fields = {name: {**kinds[type(value)], "default": value} for name, value in defaults.items()}
    return {**_object(fields), "default": {}}


def shapes(hco_version: str, *, with_hco: bool) -> Iterator[Shape]:
    """The kinds of one installation."""
    yield Shape(
        VM,
        (
            _AGE,
            _column("Status", ".status.printableStatus", description="Human Readable Status"),
            _condition("Ready", "Ready"),
        ),
        _VM_SPEC,
        (("v1alpha3", _VM_SPEC, True),),
    )
    yield Shape(
        VMI,
        (
            _AGE,
            _column("Phase", ".status.phase"),
            _column("IP", ".status.interfaces[0].ipAddress"),
            _column("NodeName", ".status.nodeName"),
            _condition("Ready", "Ready"),
            _condition("Live-Migratable", "LiveMigratable", priority=1),
            _condition("Paused", "Paused", priority=1),
        ),
        _VMI_SPEC,
        (("v1alpha3", _VMI_SPEC, True),),
    )
    yield Shape(
        VMIM,
        (
            _column("Phase", ".status.phase", description="The current phase of VM instance migration"),
            _column("VMI", ".spec.vmiName", description="The name of the VMI to perform the migration on"),
        ),
        _VMIM_SPEC,
        (("v1alpha3", _VMIM_SPEC, True),),
    )
    yield Shape(
        KUBEVIRT, (_AGE, _column("Phase", ".status.phase")), _KUBEVIRT_SPEC, (("v1alpha3", _KUBEVIRT_SPEC, True),)
    )
    yield Shape(POLICY, (_AGE,), _POLICY_SPEC)
    if with_hco:
        live = _live_migration(hco_version)
        new = _object(
            {
                "featureGates": {"type": "array", "items": _GATE},
                "virtualization": {**_object({"liveMigrationConfig": live}), "default": {}},
            }
        )
        old = _object({"featureGates": _GATE_MAP, "liveMigrationConfig": live})
        yield Shape(HCO, (_AGE,), new, (("v1beta1", old, False),))


def definition(shape: Shape) -> dict[str, Any]:
    """The CustomResourceDefinition of a kind."""
    resource = shape.resource
    versions = [_version(shape, resource.version, shape.spec, storage=True)]
    versions += [_version(shape, name, spec, deprecated=old) for name, spec, old in shape.others]
    names: dict[str, Any] = {
        "kind": resource.kind,
        "listKind": f"{resource.kind}List",
        "plural": resource.plural,
        "singular": resource.kind.lower(),
        "shortNames": list(resource.short_names),
        "categories": list(resource.categories),
    }
    return {
        "metadata": {"name": f"{resource.plural}.{resource.group}"},
        "spec": {
            "group": resource.group,
            "scope": "Namespaced" if resource.namespaced else "Cluster",
            "names": {key: value for key, value in names.items() if value},
            "versions": versions,
        },
    }


def install(api: Api, definitions: DefinitionController, callers: Callers, hco_version: str, *, with_hco: bool) -> None:
    """Post every definition and serve it at once."""
    if with_hco:
        name = f"{HCO.plural}.{HCO.group}"
        definitions.registry.conversions.register(name, "v1beta1", "v1", to_v1)
        definitions.registry.conversions.register(name, "v1", "v1beta1", to_v1beta1)
    for shape in shapes(hco_version, with_hco=with_hco):
        caller = callers.hco if shape.resource is HCO else callers.operator
        created = api.create(CRD, definition(shape), caller=caller)
        definitions.reconcile(("", created["metadata"]["name"]))


def _version(
    shape: Shape, name: str, spec: Schema, *, storage: bool = False, deprecated: bool = False
) -> dict[str, Any]:
    schema = _object({"spec": {**spec, **_default(spec)}, "status": _ANYTHING}, *_required(spec))
    version: dict[str, Any] = {
        "name": name,
        "served": True,
        "storage": storage,
        "additionalPrinterColumns": list(shape.columns),
        "schema": {"openAPIV3Schema": schema},
    }
    if "status" in shape.resource.subresources:
        version["subresources"] = {"status": {}}
    if deprecated:
        group, present = shape.resource.group, shape.resource.version
        warning = f"{group}/{name} is now deprecated and will be removed in a future release. Use {group}/{present}"
        version |= {"deprecated": True, "deprecationWarning": warning}
    return version


def _required(spec: Schema) -> Iterable[str]:
    return ("spec",) if "required" in spec else ()


def _default(spec: Schema) -> dict[str, Any]:
    """A spec whose fields have defaults exists even when nobody wrote one."""
    return {"default": {}} if "virtualization" in spec["properties"] else {}
