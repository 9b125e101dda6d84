"""A node with pods that answers evictions as it is told, without a clock."""

from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

from utilities.errors import ApiError, NotFound
from utilities.site import Timeouts

MARKED = 'admission webhook "w" denied the request: Eviction triggered evacuation of VMI "qa/{}"'


def pod(name, vmi="", node="n1", owner="VirtualMachineInstance"):
    """A pod; a launcher if it has a VMI."""
    annotations = {"kubevirt.io/domain": vmi} if vmi else {}
    metadata = {"name": name, "namespace": "qa", "uid": f"uid-{name}", "annotations": annotations}
    return {"metadata": {**metadata, "ownerReferences": [{"kind": owner}]}, "spec": {"nodeName": node}}


@dataclass
class Cluster:
    """An actor's view. `script` has, by pod, what happens at each request to go: a code, or `gone`.

    Pods that were granted it (201) are gone when somebody looks for them the second time.
    """

    pods: list[dict]
    script: dict[str, list] = field(default_factory=dict)
    marked: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    looked: dict[str, int] = field(default_factory=dict)
    cancelled: list[tuple] = field(default_factory=list)
    changes: list[tuple] = field(default_factory=list)

    @property
    def rest(self):
        return self

    site = SimpleNamespace(timeouts=Timeouts(), time_scale=100.0)

    def list(self, resource, namespace=None, *, labels=None, fields=None):
        self.listed = (namespace, labels, fields)
        return {"items": self.pods}

    def get(self, resource, name, namespace=None):
        if resource.plural == "virtualmachineinstances":
            if name not in self.marked:
                raise NotFound(name, next_step="look", code=404)
            return {"status": {"evacuationNodeName": self.marked[name]}}
        self.looked[name] = self.looked.get(name, 0) + 1
        if self.looked[name] > 1:
            raise NotFound(name, next_step="look", code=404)
        return next(pod for pod in self.pods if pod["metadata"]["name"] == name)

    def call(self, method, path, *, body=None):
        if path.endswith("/evacuate/cancel"):
            self.cancelled.append((path, body))
            return None
        name = path.split("/")[-2]
        self.asked.append(name)
        self.body = body
        code = self.script[name].pop(0) if self.script.get(name) else 201
        if code == 404:
            raise NotFound(name, next_step="look", code=404)
        if code != 201:
            raise ApiError("no", next_step="wait", code=code, message=MARKED.format(name))
        return {}

    @contextmanager
    def applied(self, change):
        self.changes.append(("made", str(change.target), change.body))
        yield {}
        self.changes.append(("undone", str(change.target), change.body))
