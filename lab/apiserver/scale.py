"""The `/scale` view of objects with replicas (kubernetes-api sheet §5.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.causes import invalid_value, required
from lab.apiserver.errors import ApiError, invalid
from lab.apiserver.resources import Resource, ScalePaths

SCALE = Resource("autoscaling", "v1", "scales", "Scale")
_WORKLOAD = ScalePaths(".spec.replicas", ".status.replicas", ".spec.selector")
_SHOWN = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def view(resource: Resource, obj: Mapping[str, Any]) -> Object:
    """The Scale of an object."""
    paths = _paths(resource)
    metadata = {key: obj["metadata"][key] for key in _SHOWN if key in obj["metadata"]}
    status: Object = {"replicas": _read(obj, paths.status_replicas) or 0}
    selector = _read(obj, paths.selector) if paths.selector else None
    if selector:
        status["selector"] = selector if isinstance(selector, str) else selector_text(selector)
    replicas = _read(obj, paths.replicas)
    spec = {"replicas": replicas} if replicas else {}
    return {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec, "status": status}


def scaled(resource: Resource, obj: Object, scale: Mapping[str, Any]) -> Object:
    """The object with the replicas of a Scale. Raises 422 unless those are a number from 0 on."""
    replicas = (scale.get("spec") or {}).get("replicas", 0)
    if isinstance(replicas, bool) or not isinstance(replicas, int) or replicas < 0:
        detail = "must be greater than or equal to 0"
        raise invalid(SCALE, obj["metadata"]["name"], [invalid_value("spec.replicas", replicas, detail)])
    return _written(obj, _paths(resource).replicas.strip(".").split("."), replicas)


def as_config(resource: Resource, config: Mapping[str, Any], name: str) -> Object:
    """An applied Scale as an applied configuration of the object itself."""
    if (config.get("spec") or {}).get("replicas") is None:
        raise invalid(SCALE, name, [required("spec.replicas")])
    return scaled(resource, {"metadata": {"name": name}}, config)


def selector_text(selector: Mapping[str, Any]) -> str:
    """A LabelSelector in the grammar of label selectors."""
    terms = [f"{key}={value}" for key, value in sorted((selector.get("matchLabels") or {}).items())]
    for expression in selector.get("matchExpressions") or ():
        key, values = expression["key"], ",".join(sorted(expression.get("values") or ()))
        words = {
            "Exists": key,
            "DoesNotExist": f"!{key}",
            "In": f"{key} in ({values})",
            "NotIn": f"{key} notin ({values})",
        }
        terms.append(words[expression["operator"]])
    return ",".join(terms)


def _paths(resource: Resource) -> ScalePaths:
    if "scale" not in resource.subresources:
        raise ApiError(404, "NotFound", "the server could not find the requested resource")
    return resource.scale or _WORKLOAD


def _read(obj: Mapping[str, Any], path: str) -> Any:
    value: Any = obj
    for name in path.strip(".").split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _written(obj: Mapping[str, Any], names: list[str], value: int) -> Object:
    head, *rest = names
    if not rest:
        return {**obj, head: value}
    inner = obj.get(head)
    return {**obj, head: _written(inner if isinstance(inner, Mapping) else {}, rest, value)}
