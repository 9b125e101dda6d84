"""Flavor groups: flavors that share a hardware version, kept in the Knowledge `flavor-groups` (cortex sheet §1.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from lab.apiserver.api import Api
from lab.apiserver.builtin.conditions import condition
from lab.cortex.kinds import DOMAIN, KNOWLEDGE

NAME = "flavor-groups"
HARDWARE = "quota:hw_version"  # the extra spec that names a flavor's group
_MIB = 2**20
Json = Mapping[str, Any]


class CloudFlavor(Protocol):
    """A flavor as Nova knows it. `ram` in MiB, `disk` in GiB."""

    @property
    def name(self) -> str: ...
    @property
    def vcpus(self) -> int: ...
    @property
    def ram(self) -> int: ...
    @property
    def disk(self) -> int: ...
    @property
    def extra_specs(self) -> Mapping[str, str]: ...


class GroupsUnknownError(Exception):
    """The Knowledge is missing or not ready; the text is what Cortex logs."""


@dataclass(frozen=True, slots=True)
class GroupFlavor:
    """A flavor of a group. `memory`: bytes; Nova's megabytes count as MiB here."""

    name: str
    vcpus: int
    memory: int
    extra_specs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FlavorGroup:
    """Flavors in the order of the Knowledge: largest first."""

    name: str
    flavors: tuple[GroupFlavor, ...]

    def flavor(self, name: str) -> GroupFlavor | None:
        """The flavor of that name."""
        return next((flavor for flavor in self.flavors if flavor.name == name), None)


def flavor_groups(api: Api) -> tuple[FlavorGroup, ...]:
    """The groups as they are known now; raises GroupsUnknownError."""
    found = api.find(KNOWLEDGE, "", NAME)
    if found is None:
        raise GroupsUnknownError(f'failed to get flavor groups knowledge: {KNOWLEDGE.qualified} "{NAME}" not found')
    status = found.get("status") or {}
    if (condition(status, "Ready") or {}).get("status") != "True":
        raise GroupsUnknownError("flavor groups knowledge is not ready")
    features = (status.get("raw") or {}).get("features") or ()
    return tuple(FlavorGroup(each["name"], tuple(map(_flavor, each.get("flavors") or ()))) for each in features)


def group_of(groups: Iterable[FlavorGroup], flavor: str) -> tuple[FlavorGroup, GroupFlavor] | None:
    """The group that has a flavor of that name; None: it is paid as you go."""
    for group in groups:
        found = group.flavor(flavor)
        if found is not None:
            return group, found
    return None


def learn(api: Api, flavors: Iterable[CloudFlavor]) -> None:
    """Write what a cloud's flavors say, as the extractor of the product does."""
    features = features_of(flavors)
    if api.find(KNOWLEDGE, "", NAME) is None:
        spec = {
            "schedulingDomain": DOMAIN,
            "extractor": {"name": "flavor_groups"},
            "recency": "5m",
            "description": "Flavors grouped by their hardware version, the largest first.",
            "dependencies": {"datasources": [{"name": "nova-flavors"}]},
        }
        api.create(KNOWLEDGE, {"metadata": {"name": NAME}, "spec": spec})
    now = api.clock.stamp()
    ready = {
        "type": "Ready", "status": "True", "reason": "KnowledgeExtracted",
        "message": "knowledge extracted successfully", "lastTransitionTime": now,
    }  # fmt: skip
    status = {
        "raw": {"features": features},
        "rawLength": len(features),
        "lastExtracted": now,
        "lastContentChange": now,
        "conditions": [ready],
    }
    api.patch(KNOWLEDGE, "", NAME, {"status": status}, subresource="status")


def features_of(flavors: Iterable[CloudFlavor]) -> list[dict[str, Any]]:
    """The features of a Knowledge: groups by name, flavors largest first; a flavor without a version is in none."""
    grouped: dict[str, list[CloudFlavor]] = {}
    for flavor in flavors:
        version = flavor.extra_specs.get(HARDWARE)
        if version:
            grouped.setdefault(version, []).append(flavor)
    return [_feature(name, grouped[name]) for name in sorted(grouped)]


def _feature(name: str, flavors: list[CloudFlavor]) -> dict[str, Any]:
    ordered = sorted(flavors, key=lambda flavor: (-flavor.ram, -flavor.vcpus, flavor.name))
    shown = [_shown(flavor) for flavor in ordered]
    feature: dict[str, Any] = {
        "name": name, "flavors": shown, "largestFlavor": shown[0], "smallestFlavor": shown[-1],
    }  # fmt: skip
    ratios = {flavor.ram // flavor.vcpus for flavor in flavors}
    if len(ratios) == 1:
        return {**feature, "ramCoreRatio": ratios.pop()}
    return {**feature, "ramCoreRatioMin": min(ratios), "ramCoreRatioMax": max(ratios)}


def _shown(flavor: CloudFlavor) -> dict[str, Any]:
    return {
        "name": flavor.name,
        "vcpus": flavor.vcpus,
        "memoryMB": flavor.ram,
        "diskGB": flavor.disk,
        "extraSpecs": dict(flavor.extra_specs),
    }


def _flavor(entry: Json) -> GroupFlavor:
    size = entry.get("memoryMB", 0) * _MIB
    return GroupFlavor(entry["name"], entry.get("vcpus", 0), size, entry.get("extraSpecs") or {})
