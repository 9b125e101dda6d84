"""`--dry-run`: the changes to shared cluster state that a selection of tests would make, without making any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pytest

from utilities.clients import KUBEVIRTS, MIGRATION_POLICIES, NAMESPACES, hyperconvergeds
from utilities.cortex.kinds import COMMITTED_RESOURCES, DECISIONS, PIPELINES, RESERVATIONS
from utilities.hypervisors.kinds import DEPLOYMENTS, HYPERVISORS
from utilities.nova.servers import PREFIX
from utilities.plugin.sites import SITE
from utilities.reversible import Change, Create, Described, Patch, Plan, Registry, Target
from utilities.site import Site


def describe(items: Iterable[pytest.Item], config: pytest.Config) -> str:
    """One line per change, for the fixtures that the items use."""
    used = {name for item in items for name in getattr(item, "fixturenames", ())}
    opened = config.stash[SITE]
    lines = Registry(PLANS).describe(sorted(used & PLANS.keys()), opened.site)
    return f"changes on {opened.site.name}, each undone at its end:\n{lines}"


def _gates(site: Site) -> Iterable[Change]:
    product = site.product
    why = f"switch feature gates ({product.gate or 'the one of the KubeVirt version'})"
    if product.hyperconverged is None:
        return [Patch(Target(KUBEVIRTS, product.kubevirt, product.namespace), _unknown, why)]
    target = Target(hyperconvergeds(product.hyperconverged_api), product.hyperconverged, product.namespace)
    return [Patch(target, _unknown, why)]


def _namespace(_: Site) -> Iterable[Change]:
    why = "VMs, migrations, filler pods and role bindings of the tests live in it"
    return [Create(NAMESPACES, {"metadata": {"generateName": "migration-plans-"}}, why=why)]


def _policies(_: Site) -> Iterable[Change]:
    why = "for one VM of a test; cluster-scoped, selects that VM only"
    return [Create(MIGRATION_POLICIES, {"metadata": {"generateName": "migration-plans-"}}, why=why)]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A change that is not made to an object of Kubernetes, in words."""

    what: str

    def describe(self) -> str:
        """As it was said."""
        return self.what


def _nova(site: Site) -> Iterable[Described]:
    if site.openstack_section is None:
        return []
    cloud = site.openstack.cloud
    return [Elsewhere(f"create servers {PREFIX}* on cloud {cloud}: they are migrated, and deleted with their volumes")]


def _hypervisors(site: Site) -> Iterable[Described]:
    if site.openstack_section is None:
        return []
    why = "maintenance, custom traits; of hypervisors without servers of others, one after the other"
    return [Patch(Target(HYPERVISORS, "*"), _unknown, why)]


def _cortex(site: Site) -> Iterable[Described]:
    if site.cortex_section is None:
        return []
    why = "to be run instead of those of the installation; deleted once decided"
    metadata = {"metadata": {"generateName": PREFIX}}
    return [Create(DECISIONS, metadata, why=why), Create(PIPELINES, metadata, why="without filters, for these runs")]


def _stage(site: Site) -> Iterable[Described]:
    if site.cortex_section is None:
        return []
    metadata = {"metadata": {"generateName": PREFIX}}
    zone = "in a zone of their own, so that nothing is placed there"
    return [
        Create(HYPERVISORS, metadata, why=f"machines that do not exist, {zone}"),
        Create(RESERVATIONS, metadata, why=f"slots on them, {zone}"),
        Create(COMMITTED_RESOURCES, metadata, why="of a project that does not exist"),
    ]


def _arena(site: Site) -> Iterable[Described]:
    if site.cortex_section is None or site.openstack_section is None:
        return []
    why = "slots that fill all hypervisors of one zone but for 12 GiB, while servers migrate there"
    return [Create(RESERVATIONS, {"metadata": {"generateName": PREFIX}}, why=why)]


def _operator(site: Site) -> Iterable[Described]:
    section = site.hypervisor_operator_section
    if section is None or section.deployment is None or section.external:
        return []
    why = "other concurrency flags; its pod is deleted to restart it"
    return [Patch(Target(DEPLOYMENTS, section.deployment, section.namespace), _unknown, why)]


def _unknown(now: Mapping[str, object]) -> Mapping[str, object]:
    """The body depends on the lists that the cluster has now."""
    return now


PLANS: dict[str, Plan] = {
    "arena": _arena,
    "cortex": _cortex,
    "gates": _gates,
    "hypervisors": _hypervisors,
    "namespace": _namespace,
    "nova": _nova,
    "operator": _operator,
    "policies": _policies,
    "stage": _stage,
}
"""By fixture name."""
