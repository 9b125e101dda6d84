"""Asking a pod to go, and what is answered (kubernetes-api sheet §6.3, kubevirt sheet §7.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from utilities.clients import PODS
from utilities.errors import ApiError, NotFound
from utilities.history import Obj, dig
from utilities.kubevirt.actor import Actor

_REFUSED = 429


@dataclass(frozen=True, slots=True)
class Evictee:
    """A pod that has to leave its node. vmi: `namespace/name` of the VMI it is a launcher of, "" for other pods."""

    namespace: str
    name: str
    uid: str
    vmi: str

    @classmethod
    def of(cls, pod: Obj) -> Evictee:
        """The pod as it is listed."""
        metadata = pod["metadata"]
        vmi = dig(pod, "metadata", "annotations", "kubevirt.io/domain")
        namespace = metadata["namespace"]
        return cls(namespace, metadata["name"], metadata["uid"], f"{namespace}/{vmi}" if vmi else "")


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered to one request. refusal: the server's text, "" when the eviction was granted."""

    evictee: Evictee
    refusal: str

    @property
    def granted(self) -> bool:
        """Whether the pod may go."""
        return not self.refusal


def evict(actor: Actor, pod: Evictee, *, annotations: Mapping[str, str] | None = None) -> Answer | None:
    """Ask once. None: there is no such pod any more. Raises ApiError for any answer but yes, not yet, and not there."""
    metadata = {"name": pod.name, "namespace": pod.namespace, "annotations": dict(annotations or {})}
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}
    body["deleteOptions"] = {"preconditions": {"uid": pod.uid}}
    try:
        actor.rest.call("POST", PODS.path(pod.namespace, pod.name, "eviction"), body=body)
    except NotFound:
        return None
    except ApiError as error:
        if error.code != _REFUSED:
            raise
        return Answer(pod, error.server_message)
    return Answer(pod, "")


def is_there(actor: Actor, pod: Evictee) -> bool:
    """Whether this very pod still exists."""
    try:
        found = actor.rest.get(PODS, pod.name, pod.namespace)
    except NotFound:
        return False
    return bool(found["metadata"]["uid"] == pod.uid)
