"""The built-in kinds (kubernetes-api sheet §6.1)."""

from __future__ import annotations

from lab.apiserver.resources import Resource

NAMESPACE = Resource(
    "", "v1", "namespaces", "Namespace", namespaced=False, short_names=("ns",), subresources=("status",)
)
NODE = Resource("", "v1", "nodes", "Node", namespaced=False, short_names=("no",), subresources=("status",))
POD = Resource(
    "",
    "v1",
    "pods",
    "Pod",
    short_names=("po",),
    categories=("all",),
    subresources=("status", "log", "exec", "attach", "portforward", "eviction", "binding"),
    generation=True,
)
EVENT = Resource("", "v1", "events", "Event", short_names=("ev",), create_on_update=True)
SECRET = Resource("", "v1", "secrets", "Secret")
CONFIG_MAP = Resource("", "v1", "configmaps", "ConfigMap", short_names=("cm",))

BUILTIN: tuple[Resource, ...] = (NAMESPACE, NODE, POD, EVENT, SECRET, CONFIG_MAP)
