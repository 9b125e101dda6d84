"""Kubernetes Events as controllers record them: repeats are counted on one object, as client-go's recorder does."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import EVENT

EventType = Literal["Normal", "Warning"]


@dataclass(frozen=True, slots=True)
class Emit:
    """An Event about `obj` (any API object). `component` and `host` become `source`."""

    obj: Mapping[str, Any]
    type: EventType
    reason: str
    message: str
    component: str
    host: str = ""

    def apply(self, api: Api, caller: Caller) -> None:
        """Create the Event, or count it up when the same was recorded before."""
        metadata = self.obj["metadata"]
        namespace = metadata.get("namespace") or "default"
        name = f"{metadata['name']}.{self._digest()}"
        now = api.clock.stamp()
        old = api.find(EVENT, namespace, name)
        if old is not None:
            body = {"count": old.get("count", 1) + 1, "lastTimestamp": now}
            api.patch(EVENT, namespace, name, body, caller=caller)
            return
        involved = {
            "apiVersion": self.obj["apiVersion"],
            "kind": self.obj["kind"],
            "name": metadata["name"],
            "uid": metadata.get("uid", ""),
            "resourceVersion": metadata.get("resourceVersion", ""),
        }
        if metadata.get("namespace"):
            involved["namespace"] = namespace
        source = {"component": self.component, **({"host": self.host} if self.host else {})}
        event = {
            "metadata": {"name": name, "namespace": namespace},
            "involvedObject": involved,
            "type": self.type,
            "reason": self.reason,
            "message": self.message,
            "source": source,
            "reportingComponent": self.component,
            "reportingInstance": self.host,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
            "eventTime": None,
        }
        api.create(EVENT, event, caller=caller)

    def _digest(self) -> str:
        parts = (str(self.obj["metadata"].get("uid")), self.type, self.reason, self.message, self.component, self.host)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
