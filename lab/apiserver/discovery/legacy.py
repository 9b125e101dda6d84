"""Legacy discovery: `/api`, `/apis`, `/apis/G`, and the resource list of each version (sheet §1.1, §1.2)."""

from __future__ import annotations

from collections.abc import Iterable

from lab.apiserver.discovery.entries import subresources
from lab.apiserver.discovery.versions import Groups
from lab.apiserver.resources import Resource

Json = dict[str, object]


def api_versions(address: str) -> Json:
    """The body of `/api`. `address`: `host:port` as clients reach it."""
    mapping = [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": mapping}


def group_list(groups: Groups) -> Json:
    """The body of `/apis`."""
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [group(name, v) for name, v in groups.items()]}


def api_group(name: str, versions: Iterable[str]) -> Json:
    """The body of `/apis/G`."""
    return {"kind": "APIGroup", "apiVersion": "v1", **group(name, versions)}


def group(name: str, versions: Iterable[str]) -> Json:
    """One group; the first version is the preferred one, equal key for key to its entry (Python compares them)."""
    entries = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": entries, "preferredVersion": entries[0]}


def resource_list(group_version: str, entries: list[Json]) -> Json:
    """The body of `/api/v1` and `/apis/G/V`."""
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": entries}


def resource_entries(resource: Resource) -> list[Json]:
    """The entry of a kind and one for each of its subresources."""
    entry: Json = {
        "name": resource.plural,
        "singularName": resource.singular_name,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    return [
        entry,
        *(
            _subresource(resource, item.name, item.kind, item.group, item.version, item.verbs)
            for item in subresources(resource)
        ),
    ]


def _subresource(
    resource: Resource, name: str, kind: str, group_name: str, version: str, verbs: tuple[str, ...]
) -> Json:
    entry: Json = {
        "name": f"{resource.plural}/{name}",
        "singularName": "",
        "namespaced": resource.namespaced,
        "kind": kind,
        "verbs": list(verbs),
    }
    if (group_name, version) != (resource.group, resource.version):
        entry.update(group=group_name, version=version)
    return entry
