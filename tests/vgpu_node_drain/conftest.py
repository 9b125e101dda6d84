"""Preconditions of the plan: VMs on the node that is drained, limits in a known state, and what was seen of a drain."""

from contextlib import ExitStack, contextmanager

import pytest

from utilities.clients import VMIMS
from utilities.drains.cordons import only
from utilities.drains.witness import emptied
from utilities.errors import SiteError
from utilities.guest import Workload
from utilities.history import dig
from utilities.kubevirt.configuration import Configuration
from utilities.kubevirt.manifests import with_eviction_strategy, with_label
from utilities.vgpu.capacity import free
from utilities.vgpu.fixtures import awd, gate_on, gates, migrations_of, pause, policies, vgpu
from utilities.watching import Watched

__all__ = ["awd", "gate_on", "gates", "migrations_of", "pause", "policies", "vgpu"]

BEAT = 5  # seconds of the guest between two beats: many guests beat at once
PACE = "migration-test-plans/pace"
STEADY = {"bandwidthPerMigration": "128Mi", "allowWorkloadDisruption": True}
"""A move takes some 20 s, so that those that may run at once do."""
SLOW = {"bandwidthPerMigration": "32Mi", "completionTimeoutPerGiB": 60, "allowWorkloadDisruption": True}
"""An idle vGPU dirties more than this bandwidth copies: a move takes minutes, in which something can be done."""


@pytest.fixture(scope="session")
def configuration(admin):
    """Cluster-wide settings that last as long as their context."""
    return Configuration(admin)


@pytest.fixture(scope="session")
def limits(configuration):
    """Limits of migrations at once: `with limits(node=2, cluster=5)`."""

    def setting(*, node, cluster):
        return configuration.migrations(parallelOutboundMigrationsPerNode=node, parallelMigrationsPerCluster=cluster)

    return setting


@pytest.fixture(scope="session")
def gpu_nodes(admin, site):
    """Nodes with free vGPUs, those with the most first."""
    found = free(admin.rest, site.gpu.profile.resource)
    return sorted(found, key=lambda node: (-found[node], node))


@pytest.fixture(scope="session")
def node(gpu_nodes):
    """The node that is drained."""
    return gpu_nodes[0]


@pytest.fixture(scope="session")
def moves(vgpu, policies):
    """Options of a VM with one vGPU that has to be migrated when its node is drained."""
    with policies.matching({PACE: "steady"}, **STEADY):
        yield (vgpu, with_label(PACE, "steady"), with_eviction_strategy("LiveMigrate"))


@pytest.fixture(scope="session")
def moves_slowly(vgpu, policies):
    """Options of such a VM whose move takes minutes."""
    with policies.matching({PACE: "slow"}, **SLOW):
        yield (vgpu, with_label(PACE, "slow"), with_eviction_strategy("LiveMigrate"))


@pytest.fixture(scope="session")
def vms_on(admin, machines, site):
    """Running VMs of one kind on one node: `with vms_on(node, name, *options, count=3) as vms`."""

    @contextmanager
    def starting(node, name, *options, count=1, with_guest=False):
        with ExitStack() as undo:
            with only(admin, node, site.gpu.profile.resource):
                vms = undo.enter_context(machines.fleet(name, *options, count=count, with_guest=with_guest))
            yield vms

    return starting


@pytest.fixture(scope="session")
def emptying(admin, evidence):
    """Nodes about to be drained, with all that happens to VMs: `with emptying(vms, node) as seen`.

    guests: how many of the VMs get a workload, and are looked into before and after. Raises SiteError when a migration
    went by another policy than the plan's: nothing is known of its pace then.
    """

    @contextmanager
    def watching(vms, *nodes, guests=0):
        workloads = [Workload.start(vm.shell, interval=BEAT) for vm in vms[:guests]]
        with emptied(admin, vms, nodes, workloads) as seen:
            evidence.about(seen)
            yield seen
        if strays := [one.key for one in seen.migrations if one.state and "migrationPolicyName" not in one.state]:
            raise SiteError(
                f"no policy was applied to {', '.join(strays)}, so that they moved at another pace than the plan's",
                next_step="look at the MigrationPolicy objects and at what they select",
            )

    return watching


@pytest.fixture(scope="session")
def wait_running(admin, namespace):
    """Waits until some migration copies."""

    def waiting():
        admin.waits.wait_for(
            Watched(VMIMS, namespace),
            lambda migration: dig(migration, "status", "phase") == "Running",
            expecting="a migration Running",
            within=admin.site.timeouts.migration,
        )

    return waiting
