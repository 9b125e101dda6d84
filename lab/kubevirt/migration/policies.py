"""MigrationPolicies: which one applies to a VMI, and what it makes of the cluster's settings (kubevirt sheet §5.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lab.kubevirt.config import Migrations
from lab.kubevirt.facts import Json
from lab.quantities import whole


@dataclass(frozen=True, slots=True)
class Settings:
    """What a migration runs with: effective values, and the policy they come from (None: the cluster's own)."""

    migrations: Migrations
    policy: str | None = None
    experimental: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As `status.migrationState.migrationConfiguration` shows it."""
        body = self.migrations.to_json()
        return {**body, "experimental": dict(self.experimental)} if self.experimental else body


def settle(cluster: Migrations, policies: Sequence[Json], vmi: Json, namespace: Json | None) -> Settings:
    """The settings of a migration that is handed off now; later changes of policies do not touch it."""
    policy = best_match(policies, vmi, namespace)
    if policy is None:
        return Settings(cluster)
    spec = policy["spec"]
    return Settings(_overridden(cluster, spec), policy["metadata"]["name"], spec.get("experimental") or {})


def best_match(policies: Sequence[Json], vmi: Json, namespace: Json | None) -> Json | None:
    """The policy with most matching labels; tie: most VMI labels; tie: smallest name. None if none matches."""
    scored = [(score, policy) for policy in policies if (score := _score(policy, vmi, namespace)) is not None]
    if not scored:
        return None
    return min(scored, key=lambda entry: (-sum(entry[0]), -entry[0][0], entry[1]["metadata"]["name"]))[1]


def _score(policy: Json, vmi: Json, namespace: Json | None) -> tuple[int, int] | None:
    """Matching (VMI, namespace) labels, None if the policy does not match.

    The namespace selector counts only for a VMI that has labels at all: a quirk of the product.
    """
    selectors = policy["spec"].get("selectors")
    if selectors is None:
        return None
    labels = vmi["metadata"].get("labels")
    if labels is None:
        return (0, 0)
    wanted_vmi: Mapping[str, str] = selectors.get("virtualMachineInstanceSelector") or {}
    wanted_namespace: Mapping[str, str] = selectors.get("namespaceSelector") or {}
    of_namespace: Mapping[str, str] = ((namespace or {}).get("metadata") or {}).get("labels") or {}
    if any(labels.get(key) != value for key, value in wanted_vmi.items()):
        return None
    if any(of_namespace.get(key) != value for key, value in wanted_namespace.items()):
        return None
    return (len(wanted_vmi), len(wanted_namespace))


_OVERRIDES = {
    "allowAutoConverge": "allow_auto_converge",
    "completionTimeoutPerGiB": "completion_timeout_per_gib",
    "maxDowntimeMs": "max_downtime_ms",
    "allowPostCopy": "allow_post_copy",
    "allowWorkloadDisruption": "allow_workload_disruption",
}  # progressTimeout and the parallel limits cannot be overridden


def _overridden(cluster: Migrations, spec: Json) -> Migrations:
    given: dict[str, Any] = {name: spec[key] for key, name in _OVERRIDES.items() if spec.get(key) is not None}
    if "allow_post_copy" in given:  # compatibility: a policy that only knows post-copy means disruption too
        given.setdefault("allow_workload_disruption", given["allow_post_copy"])
    if spec.get("bandwidthPerMigration") is not None:
        text = str(spec["bandwidthPerMigration"])
        given |= {"bandwidth": whole(text), "bandwidth_text": text}
    return replace(cluster, **given)
