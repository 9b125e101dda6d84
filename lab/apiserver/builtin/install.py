"""Puts the built-in kinds to work in a lab: first objects, admission plugins, the control plane's controllers."""

from __future__ import annotations

from lab.apiserver import namespaces
from lab.apiserver.api import Api
from lab.apiserver.builtin.admission import BuiltinAdmission
from lab.apiserver.builtin.claim_binder import ClaimBinder
from lab.apiserver.builtin.cluster_kinds import SYSTEM_PRIORITIES
from lab.apiserver.builtin.cordons import CordonTaints
from lab.apiserver.builtin.disruption import DisruptionController
from lab.apiserver.builtin.event_expiry import EventExpiry
from lab.apiserver.builtin.kinds import PRIORITY_CLASS, SERVICE
from lab.apiserver.builtin.namespace_lifecycle import NamespaceLifecycle
from lab.apiserver.builtin.workload_status import workload_controllers
from lab.apiserver.collector import GarbageCollector
from lab.apiserver.custom.lifecycle import DefinitionController
from lab.apiserver.custom.registry import Registry
from lab.controllers.runtime import Controller, Runtime


def install(api: Api, runtime: Runtime, root_ca: str = "") -> DefinitionController:
    """Start everything; `root_ca` is the PEM text of the certificate that signed the server's.

    Returns the controller of custom resource definitions: its `reconcile` establishes one at once, its registry takes
    conversions. From now on nothing can be created in a namespace that is missing or ends.
    """
    api.check_namespace = namespaces.check_writable
    BuiltinAdmission(api).register()
    definitions = DefinitionController(Registry(api))
    controllers: tuple[Controller, ...] = (
        NamespaceLifecycle(api, root_ca),
        definitions,
        DisruptionController(api),
        *workload_controllers(api),
        CordonTaints(api),
        ClaimBinder(api),
        EventExpiry(api),
    )
    for controller in controllers:
        runtime.add(controller)
    GarbageCollector(api).start(runtime)
    create_initial(api)
    return definitions


def create_initial(api: Api) -> None:
    """Create what every cluster is born with: namespaces, system priority classes, the service of the API server."""
    namespaces.create_initial(api)
    for name, value in SYSTEM_PRIORITIES.items():
        api.create(PRIORITY_CLASS, {"metadata": {"name": name}, "value": value})
    ports = [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}]
    labels = {"component": "apiserver", "provider": "kubernetes"}
    metadata = {"name": "kubernetes", "namespace": "default", "labels": labels}
    api.create(SERVICE, {"metadata": metadata, "spec": {"clusterIP": "10.96.0.1", "ports": ports}})
