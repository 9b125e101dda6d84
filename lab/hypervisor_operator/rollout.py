"""The operator's Deployment come to life: one pod of the present template, replaced when that changes or it is deleted.

What a new process does not find in statuses it does not know. Only the leader works: without release on cancel, the
lease of the one before has to run out first (operator sheet §4); without `--leader-elect` both work for a moment.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lab.apiserver.admission import Review
from lab.apiserver.api import Api
from lab.apiserver.builtin.callers import CONTROLLER_MANAGER
from lab.apiserver.builtin.conditions import with_condition
from lab.apiserver.builtin.kinds import DEPLOYMENT, POD
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.runtime import Key, Mapper, Runtime
from lab.hypervisor_operator.deployment import DEPLOYMENT_NAME, LABELS, NAMESPACE, template_hash
from lab.hypervisor_operator.instances import Instance
from lab.hypervisor_operator.logs import Log
from lab.hypervisor_operator.pods import Pod
from lab.hypervisor_operator.starting import Make

Json = Mapping[str, Any]
_KEY: Key = (NAMESPACE, DEPLOYMENT_NAME)
_LEASE = (13.0, 17.0)  # product seconds from the end of a leader to the next one (lease 15 s, renewed every 2 s)


class Rollout:
    """Follows the Deployment and its pods."""

    name = "hypervisor-operator"

    def __init__(self, api: Api, make: Make, rng: random.Random) -> None:
        self._api = api
        self._make_process = make
        self._rng = rng
        self._instances: dict[str, tuple[str, Instance]] = {}  # by pod name: hash of its template
        self._made = 0
        self._lease_free = 0.0
        self._runtime: Runtime | None = None

    def start(self, runtime: Runtime) -> None:
        """Follow the Deployment from now on; its status is ours, whatever the cluster's controllers write."""
        self._api.admission.mutate_with(DEPLOYMENT.key, ("UPDATE",), self._with_true_status, "status")
        self._api.admission.validate_with(DEPLOYMENT.key, ("CREATE", "UPDATE"), _refuse_several)
        self._runtime = runtime
        runtime.add(self)

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """The Deployment and its pods."""
        return {DEPLOYMENT: _itself, POD: self._of_pod}

    @property
    def instances(self) -> list[Instance]:
        """All there are, oldest first."""
        return [instance for _, instance in self._instances.values()]

    def logs(self, pod: str) -> Sequence[Log] | None:
        """What the processes of a pod wrote, one log for each, None when it is no pod of ours."""
        return self._instances[pod][1].logs if pod in self._instances else None

    def reconcile(self, key: Key) -> float | None:
        """Bring the pods to what the Deployment says."""
        for instance in self.instances:
            if instance.led_until is not None:
                self._lease_free = max(self._lease_free, instance.led_until + self._rng.uniform(*_LEASE))
                instance.led_until = None
        self._instances = {name: pair for name, pair in self._instances.items() if not pair[1].stopped}
        for instance in self.instances:
            if instance.pod.terminating or instance.pod.obj is None:
                instance.stop()
        deployment = self._api.find(DEPLOYMENT, *key)
        if deployment is None or not deployment["spec"]["replicas"]:
            self._stop(self.instances)
        else:
            self._roll(deployment)
        wake_at = self._elect()
        if deployment is not None:
            self._show(deployment)
        return wake_at

    def _roll(self, deployment: Json) -> None:
        template = deployment["spec"]["template"]
        wanted = template_hash(template)
        present = [one for found, one in self._instances.values() if found == wanted and not _ending(one)]
        others = [one for found, one in self._instances.values() if found != wanted]
        if deployment["spec"]["strategy"]["type"] == "Recreate" and others:
            self._stop(others)
        elif not present:
            self._make(deployment, template, wanted)
        elif present[0].ready:
            self._stop(others)

    def _make(self, deployment: Json, template: Json, wanted: str) -> None:
        owner = {
            "apiVersion": "apps/v1", "kind": "Deployment", "name": DEPLOYMENT_NAME,
            "uid": deployment["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True,
        }  # fmt: skip
        pod = Pod(self._api, owner, template, wanted, self._made)
        self._made += 1
        instance = Instance(self._api, self._make_process, self._rng, pod, template, self._poke)
        self._instances[pod.name] = (wanted, instance)

    def _stop(self, instances: Iterable[Instance]) -> None:
        for instance in instances:
            instance.pod.delete()
            instance.stop()

    def _elect(self) -> float | None:
        """Let the processes work that may; returns when to look again."""
        now = self._api.clock.now()
        holder = next((one for one in self.instances if one.leading and one.leader_elect and one.runs), None)
        for instance in self.instances:
            if not instance.runs or instance.leading:
                continue
            if not instance.leader_elect:
                instance.lead()
            elif holder is None:
                if now < self._lease_free:
                    return self._lease_free
                instance.lead()
                holder = instance
        return None

    def _show(self, deployment: Json) -> None:
        """Have the status say what is so: the mutator fills it in."""
        body = {"status": {"observedGeneration": deployment["metadata"].get("generation", 0)}}
        self._api.patch(DEPLOYMENT, *_KEY, body, subresource="status", caller=CONTROLLER_MANAGER)

    def _with_true_status(self, review: Review) -> dict[str, Any]:
        metadata = review.obj["metadata"]
        if (metadata.get("namespace"), metadata["name"]) != _KEY:
            return review.obj
        return {**review.obj, "status": self._status(review.obj)}

    def _status(self, deployment: Json) -> dict[str, Any]:
        wanted = template_hash(deployment["spec"]["template"])
        updated = [one for found, one in self._instances.values() if found == wanted and not _ending(one)]
        ready = [one for one in self.instances if one.ready and not _ending(one)]
        counts = {
            "replicas": len(self._instances),
            "updatedReplicas": len(updated),
            "readyReplicas": len(ready),
            "availableReplicas": len(ready),
            "unavailableReplicas": max(0, deployment["spec"]["replicas"] - len(ready)),
        }
        old = deployment.get("status") or {}
        status: dict[str, Any] = {
            "observedGeneration": deployment["metadata"].get("generation", 0),
            **{name: count for name, count in counts.items() if count},
            "conditions": old.get("conditions") or [],
        }
        stamp = self._api.clock.stamp()
        for entry in _conditions(bool(ready) or not deployment["spec"]["replicas"], any(one.ready for one in updated)):
            known: Json = next((each for each in status["conditions"] if each["type"] == entry["type"]), {})
            same = all(known.get(key) == text for key, text in entry.items())
            update = known.get("lastUpdateTime", stamp) if same else stamp
            status = with_condition(status, {**entry, "lastUpdateTime": update}, stamp)
        return status

    def _poke(self) -> None:
        if self._runtime is not None:
            self._runtime.poke(self, _KEY)

    def _of_pod(self, change: Change) -> Iterable[Key]:
        return (_KEY,) if change.new.name in self._instances else ()


def _ending(instance: Instance) -> bool:
    return instance.stopped or instance.pod.terminating or instance.pod.obj is None


def _conditions(available: bool, rolled_out: bool) -> tuple[Json, ...]:
    have = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    lack = ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    done = ("True", "NewReplicaSetAvailable", f'ReplicaSet "{DEPLOYMENT_NAME}" has successfully progressed.')
    under_way = ("True", "ReplicaSetUpdated", f'ReplicaSet "{DEPLOYMENT_NAME}" is progressing.')
    said = {"Available": have if available else lack, "Progressing": done if rolled_out else under_way}
    return tuple(
        {"type": kind, "status": status, "reason": reason, "message": message}
        for kind, (status, reason, message) in said.items()
    )


def _itself(change: Change) -> Iterable[Key]:
    key = (change.new.namespace, change.new.name)
    return (key,) if key == _KEY else ()


def _refuse_several(review: Review) -> None:
    metadata, labels = review.obj["metadata"], review.obj["spec"]["template"]["metadata"].get("labels") or {}
    if (metadata.get("namespace"), metadata["name"]) != _KEY:
        return
    if review.obj["spec"]["replicas"] > 1 or not LABELS.items() <= labels.items():
        text = "the lab simulates one replica of the hypervisor operator, under the labels of its chart"
        raise ApiError(501, "NotImplemented", text)
