"""Discovery entries of kinds and their subresources, in one neutral form for both discovery formats (sheet §1.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.apiserver.resources import Resource

STATUS_VERBS = ("get", "patch", "update")

# Subresources whose kind or verbs differ from get/patch/update of the kind itself: (group, version, kind, verbs).
_FOREIGN: dict[tuple[str, str], tuple[str, str, str, tuple[str, ...]]] = {
    ("", "attach"): ("", "v1", "PodAttachOptions", ("create", "get")),
    ("", "binding"): ("", "v1", "Binding", ("create",)),
    ("", "eviction"): ("policy", "v1", "Eviction", ("create",)),
    ("", "exec"): ("", "v1", "PodExecOptions", ("create", "get")),
    ("", "finalize"): ("", "v1", "Namespace", ("update",)),
    ("", "log"): ("", "v1", "Pod", ("get",)),
    ("", "portforward"): ("", "v1", "PodPortForwardOptions", ("create", "get")),
    ("", "token"): ("authentication.k8s.io", "v1", "TokenRequest", ("create",)),
}
_SCALE = ("autoscaling", "v1", "Scale", STATUS_VERBS)


@dataclass(frozen=True, slots=True)
class Entry:
    """One subresource: its name after the slash, the kind it speaks, and its verbs."""

    name: str
    group: str
    version: str
    kind: str
    verbs: tuple[str, ...]


def subresources(resource: Resource) -> Iterator[Entry]:
    """The subresource entries of a kind."""
    for name in resource.subresources:
        own = (resource.group, resource.version, resource.kind, STATUS_VERBS)
        yield Entry(name, *(_SCALE if name == "scale" else _FOREIGN.get((resource.group, name), own)))
