"""Who the built-in controllers are when they write."""

from __future__ import annotations

from lab.apiserver.admission import Caller

CONTROLLER_MANAGER = Caller("system:kube-controller-manager", ("system:masters",), "kube-controller-manager")
GARBAGE_COLLECTOR = Caller(
    "system:serviceaccount:kube-system:generic-garbage-collector", ("system:masters",), "kube-controller-manager"
)
NAMESPACE_CONTROLLER = Caller(
    "system:serviceaccount:kube-system:namespace-controller", ("system:masters",), "kube-controller-manager"
)
