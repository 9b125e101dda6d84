"""The pods of the operator's Deployment, and the states its kubelet would show (the lab's kubelets leave them alone).

They are bound to a machine that is no Node of the cluster: the management side, where the operator runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.callers import CONTROLLER_MANAGER
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.errors import ApiError
from lab.apiserver.options import DeleteOptions
from lab.hypervisor_operator.deployment import CONTAINER, NAMESPACE
from lab.scheduling import pod_status

Json = Mapping[str, Any]
MACHINE, _HOST, _ADDRESS = "management-1", "192.168.40.2", "10.128.254.{}"


class Pod:
    """One pod, made at once. `number`: the how-manieth of this lab."""

    def __init__(self, api: Api, owner: Json, template: Json, template_hash: str, number: int) -> None:
        self._api = api
        self._address = _ADDRESS.format(1 + number % 250)
        labels = {**template["metadata"]["labels"], "pod-template-hash": template_hash}
        metadata = {
            **template["metadata"],
            "generateName": f"{owner['name']}-",
            "namespace": NAMESPACE,
            "labels": labels,
            "ownerReferences": [owner],
        }
        body = {"metadata": metadata, "spec": {**template["spec"], "nodeName": MACHINE}}
        created = api.create(POD, body, caller=CONTROLLER_MANAGER)
        self.name = str(created["metadata"]["name"])
        self.uid = str(created["metadata"]["uid"])
        self._write(pod_status.accepted(created, api.clock.stamp(), _HOST))

    @property
    def obj(self) -> Json | None:
        """The object, None when it has gone."""
        found = self._api.find(POD, NAMESPACE, self.name)
        return found if found is not None and found["metadata"]["uid"] == self.uid else None

    @property
    def terminating(self) -> bool:
        """Whether somebody deleted it."""
        found = self.obj
        return found is not None and "deletionTimestamp" in found["metadata"]

    def cannot_pull(self, image: str) -> None:
        """There is no such image."""
        why = f'failed to pull and unpack image "{image}": {image}: not found'
        if (found := self.obj) is not None:
            self._write(pod_status.not_pulled(found, image, "ErrImagePull", why))

    def runs(self, restarts: int) -> None:
        """Its container runs, not ready yet."""
        if (found := self.obj) is None:
            return
        now = self._api.clock.stamp()
        status = pod_status.running(found, now, self._address)
        status["conditions"] = pod_status.with_conditions({"status": status}, *self._unready(now))
        last = _container(found).get("lastState") or {}
        status["containerStatuses"] = [
            {**entry, "ready": False, "restartCount": restarts, "lastState": last}
            for entry in status["containerStatuses"]
        ]
        self._write(status)

    def ready(self) -> None:
        """Its readiness probe succeeded."""
        if (found := self.obj) is None:
            return
        stamp = {"status": "True", "lastTransitionTime": self._api.clock.stamp()}
        entries = [{"type": kind, **stamp} for kind in ("Ready", "ContainersReady")]
        containers = [{**entry, "ready": True} for entry in found["status"]["containerStatuses"]]
        self._write({"conditions": pod_status.with_conditions(found, *entries), "containerStatuses": containers})

    def crashed(self, code: int, restarts: int, back_off: float, started: str) -> None:
        """Its container ended, and is started again later."""
        found = self.obj
        if found is None:
            return
        now = self._api.clock.stamp()
        text = f"back-off {back_off:.0f}s restarting failed container={CONTAINER} pod={self.name}"
        container = {
            **_container(found),
            "ready": False,
            "started": False,
            "restartCount": restarts,
            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": text}},
            "lastState": {"terminated": {"exitCode": code, "reason": "Error", "startedAt": started, "finishedAt": now}},
        }
        conditions = pod_status.with_conditions(found, *self._unready(now))
        self._write({"phase": "Running", "conditions": conditions, "containerStatuses": [container]})

    def delete(self) -> None:
        """Ask it to end, with its grace."""
        self._delete(DeleteOptions())

    def remove(self) -> None:
        """Let the object go."""
        self._delete(DeleteOptions(grace_period=0))

    def _delete(self, options: DeleteOptions) -> None:
        if self.obj is None:
            return
        try:
            self._api.delete(POD, NAMESPACE, self.name, options=options, caller=CONTROLLER_MANAGER)
        except ApiError as error:
            if error.code != 404:
                raise

    def _unready(self, now: str) -> list[Json]:
        message = f"containers with unready status: [{CONTAINER}]"
        told = {"status": "False", "lastTransitionTime": now, "reason": "ContainersNotReady", "message": message}
        return [{"type": kind, **told} for kind in ("Ready", "ContainersReady")]

    def _write(self, status: Json) -> None:
        body = {"status": dict(status)}
        self._api.patch(POD, NAMESPACE, self.name, body, subresource="status", caller=CONTROLLER_MANAGER)


def _container(pod: Json) -> Json:
    """The status of its container; empty before it has one."""
    return next(iter((pod.get("status") or {}).get("containerStatuses") or ()), {})
