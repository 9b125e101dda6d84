"""Aggregated discovery: everything in two documents, `/api` and `/apis` (sheet §1.2)."""

from __future__ import annotations

from collections.abc import Iterable

from lab.apiserver.discovery.entries import subresources
from lab.apiserver.discovery.versions import Groups
from lab.apiserver.http.negotiation import media_types
from lab.apiserver.resources import Resource

Json = dict[str, object]
GROUP = "apidiscovery.k8s.io"
_KIND = "APIGroupDiscoveryList"
_VERSIONS = ("v2", "v2beta1")


def version_of(accept: str | None) -> str | None:
    """The version of aggregated discovery a client prefers, None when it wants the plain form."""
    for entry in media_types(accept or ""):
        if entry.name != "application/json":
            continue
        parameters = entry.parameters
        if parameters.get("g") == GROUP and parameters.get("as") == _KIND and parameters.get("v") in _VERSIONS:
            return parameters["v"]
        if "g" not in parameters:
            return None
    return None


def content_type(version: str) -> str:
    """The content type clients decide by."""
    return f"application/json;g={GROUP};v={version};as={_KIND}"


def document(version: str, groups: Groups, resources: Iterable[Resource]) -> Json:
    """The document; groups without resources are left out (a missing kind would drop the entry anyway)."""
    kinds = tuple(resources)
    items = [_group(group, versions, kinds) for group, versions in groups.items()]
    return {"kind": _KIND, "apiVersion": f"{GROUP}/{version}", "metadata": {}, "items": items}


def _group(group: str, versions: tuple[str, ...], kinds: tuple[Resource, ...]) -> Json:
    metadata: Json = {"name": group, "creationTimestamp": None} if group else {"creationTimestamp": None}
    return {"metadata": metadata, "versions": [_version(group, version, kinds) for version in versions]}


def _version(group: str, version: str, kinds: tuple[Resource, ...]) -> Json:
    found = [_resource(kind) for kind in kinds if (kind.group, kind.version) == (group, version)]
    return {"version": version, "freshness": "Current", "resources": found}


def _resource(resource: Resource) -> Json:
    entry: Json = {
        "resource": resource.plural,
        "responseKind": _kind(resource.group, resource.version, resource.kind),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular_name,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    below = [
        {
            "subresource": item.name,
            "responseKind": _kind(item.group, item.version, item.kind),
            "verbs": list(item.verbs),
        }
        for item in subresources(resource)
    ]
    return {**entry, "subresources": below} if below else entry


def _kind(group: str, version: str, kind: str) -> Json:
    return {"group": group, "version": version, "kind": kind}
