"""CustomResourceDefinitions of Hypervisor and Eviction, as the operator's chart ships them (operator sheet §1)."""

from __future__ import annotations

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CRD
from lab.apiserver.custom.lifecycle import DefinitionController
from lab.hypervisor_operator.crds.evictions import evictions
from lab.hypervisor_operator.crds.hypervisors import hypervisors


def install(api: Api, definitions: DefinitionController) -> None:
    """Post both definitions and serve them at once. The operator itself never does this: its chart does."""
    for definition in (evictions(), hypervisors()):
        created = api.create(CRD, definition)
        definitions.reconcile(("", created["metadata"]["name"]))
