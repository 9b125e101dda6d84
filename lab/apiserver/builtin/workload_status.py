"""Statuses of Deployments, ReplicaSets and DaemonSets: as if all their pods ran (kubernetes-api sheet §6.1).

The lab makes no pods for them; what they would run is simulated elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from lab.apiserver.admission import Object
from lab.apiserver.api import Api
from lab.apiserver.builtin.callers import CONTROLLER_MANAGER
from lab.apiserver.builtin.conditions import condition, with_condition
from lab.apiserver.builtin.kinds import DAEMON_SET, DEPLOYMENT, NODE, REPLICA_SET
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.runtime import Key, Mapper, same_object


@dataclass(frozen=True, slots=True)
class WorkloadStatus:
    """Keeps the status of one kind of workload: `status_of(api, object, stamp)` says what it is."""

    api: Api
    resource: Resource
    status_of: Callable[[Api, Object, str], Object]
    watches_nodes: bool = False

    @property
    def name(self) -> str:
        """Such as `deployment`."""
        return self.resource.singular_name

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """The workloads, and for DaemonSets the nodes they run on."""
        own: dict[Resource, Mapper] = {self.resource: same_object}
        return {**own, NODE: self._all} if self.watches_nodes else own

    def reconcile(self, key: Key) -> float | None:
        """Bring the status of one object up to date."""
        found = self.api.find(self.resource, *key)
        if found is None or found["metadata"].get("deletionTimestamp"):
            return None
        status = self.status_of(self.api, found, self.api.clock.stamp())
        if status != found.get("status"):
            self.api.update(self.resource, {**found, "status": status}, subresource="status", caller=CONTROLLER_MANAGER)
        return None

    def _all(self, _: Change) -> Iterable[Key]:
        return [(obj["metadata"]["namespace"], obj["metadata"]["name"]) for obj in self.api.list(self.resource)]


def workload_controllers(api: Api) -> tuple[WorkloadStatus, ...]:
    """One for each kind."""
    return (
        WorkloadStatus(api, DEPLOYMENT, deployment_status),
        WorkloadStatus(api, REPLICA_SET, replica_set_status),
        WorkloadStatus(api, DAEMON_SET, daemon_set_status, watches_nodes=True),
    )


def deployment_status(_: Api, deployment: Object, stamp: str) -> Object:
    """All replicas updated, ready and available."""
    replicas, name = deployment["spec"]["replicas"], deployment["metadata"]["name"]
    fields = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    status = _counted(deployment, dict.fromkeys(fields, replicas))
    for new in (
        {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable",
         "message": "Deployment has minimum availability."},
        {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable",
         "message": f'ReplicaSet "{name}" has successfully progressed.'},
    ):  # fmt: skip
        known = condition(status, new["type"]) or {}
        status = with_condition(status, {**new, "lastUpdateTime": known.get("lastUpdateTime", stamp)}, stamp)
    return status


def replica_set_status(_: Api, replica_set: Object, __: str) -> Object:
    """All replicas ready and available."""
    fields = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    status = _counted(replica_set, dict.fromkeys(fields, replica_set["spec"]["replicas"]))
    return {"replicas": 0, **status}


def daemon_set_status(api: Api, daemon_set: Object, _: str) -> Object:
    """One pod ready on every node the template's node selector selects."""
    selector = (daemon_set["spec"]["template"]["spec"].get("nodeSelector") or {}).items()
    nodes = sum(selector <= (node["metadata"].get("labels") or {}).items() for node in api.list(NODE))
    fields = ("currentNumberScheduled", "desiredNumberScheduled", "numberReady")
    optional = ("updatedNumberScheduled", "numberAvailable")
    status = _counted(daemon_set, dict.fromkeys(optional, nodes))
    return {**status, **dict.fromkeys(fields, nodes), "numberMisscheduled": 0}


def _counted(workload: Object, counts: Mapping[str, int]) -> Object:
    """The old status with new counts; a count of zero is left out, as typed servers do."""
    kept = {key: value for key, value in (workload.get("status") or {}).items() if key not in counts}
    present = {key: value for key, value in counts.items() if value}
    return {**kept, "observedGeneration": workload["metadata"].get("generation", 0), **present}
