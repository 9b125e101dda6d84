"""The strategies of all built-in kinds (kubernetes-api sheet §6.1, §6.2)."""

from __future__ import annotations

from lab.apiserver.builtin import cluster_kinds, contents, kinds, namespaced_kinds, pods, rbac, workloads
from lab.apiserver.builtin.strategy import BuiltinStrategy
from lab.apiserver.custom import definitions
from lab.apiserver.strategies import Strategies

_ALL = (
    BuiltinStrategy(kinds.NAMESPACE, cluster_kinds.NAMESPACE, cluster_kinds.completed_namespace),
    BuiltinStrategy(kinds.NODE, cluster_kinds.NODE, cluster_kinds.completed_node, cluster_kinds.node_causes),
    BuiltinStrategy(kinds.POD, pods.SHAPE, pods.completed, pods.causes),
    BuiltinStrategy(kinds.EVENT, namespaced_kinds.EVENT, check=namespaced_kinds.event_causes),
    BuiltinStrategy(kinds.EVENTS_EVENT, namespaced_kinds.EVENTS_EVENT, check=namespaced_kinds.events_event_causes),
    BuiltinStrategy(kinds.SECRET, contents.SECRET, contents.completed_secret, contents.secret_causes),
    BuiltinStrategy(kinds.CONFIG_MAP, contents.CONFIG_MAP, contents.completed_config_map, contents.config_map_causes),
    BuiltinStrategy(kinds.SERVICE_ACCOUNT),
    BuiltinStrategy(
        kinds.SERVICE, namespaced_kinds.SERVICE, namespaced_kinds.completed_service, namespaced_kinds.service_causes
    ),
    BuiltinStrategy(kinds.PVC, namespaced_kinds.CLAIM, namespaced_kinds.completed_claim, namespaced_kinds.claim_causes),
    BuiltinStrategy(
        kinds.DEPLOYMENT, workloads.DEPLOYMENT, workloads.completed_deployment, workloads.deployment_causes
    ),
    BuiltinStrategy(
        kinds.REPLICA_SET, workloads.REPLICA_SET, workloads.completed_replica_set, workloads.replica_set_causes
    ),
    BuiltinStrategy(
        kinds.DAEMON_SET, workloads.DAEMON_SET, workloads.completed_daemon_set, workloads.daemon_set_causes
    ),
    BuiltinStrategy(kinds.JOB, workloads.JOB, workloads.completed_job, workloads.job_causes),
    BuiltinStrategy(kinds.PDB, namespaced_kinds.BUDGET, check=namespaced_kinds.budget_causes),
    BuiltinStrategy(kinds.LEASE, namespaced_kinds.LEASE, check=namespaced_kinds.lease_causes),
    BuiltinStrategy(kinds.ROLE, rbac.ROLE, check=rbac.role_causes),
    BuiltinStrategy(kinds.CLUSTER_ROLE, rbac.ROLE, check=rbac.cluster_role_causes),
    BuiltinStrategy(kinds.ROLE_BINDING, rbac.BINDING, rbac.completed_binding, rbac.binding_causes),
    BuiltinStrategy(kinds.CLUSTER_ROLE_BINDING, rbac.BINDING, rbac.completed_binding, rbac.cluster_binding_causes),
    BuiltinStrategy(kinds.CRD, definitions.SHAPE, definitions.completed, definitions.causes),
    BuiltinStrategy(kinds.STORAGE_CLASS, cluster_kinds.STORAGE_CLASS, check=cluster_kinds.storage_class_causes),
    BuiltinStrategy(kinds.PRIORITY_CLASS, cluster_kinds.PRIORITY_CLASS, check=cluster_kinds.priority_class_causes),
)


def strategies() -> Strategies:
    """A new set of strategies with all built-in kinds in it; custom resources join at run time."""
    found = Strategies()
    for strategy in _ALL:
        found.set(strategy.resource, strategy)
    return found
