"""CustomResourceDefinitions of Cortex, as its chart ships them (cortex sheet §1)."""

from __future__ import annotations

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CRD
from lab.apiserver.custom.lifecycle import DefinitionController
from lab.cortex.crds.commitments import capacities, commitments, quotas
from lab.cortex.crds.knowledge import knowledge
from lab.cortex.crds.pipelines import pipelines
from lab.cortex.crds.reservations import reservations
from lab.cortex.crds.runs import decisions, deschedulings, histories

DEFINITIONS = (
    reservations, commitments, pipelines, decisions, histories, knowledge, capacities, quotas, deschedulings,
)  # fmt: skip


def install(api: Api, definitions: DefinitionController) -> None:
    """Post all definitions and serve them at once. Cortex itself never does this: its chart does."""
    for definition in DEFINITIONS:
        created = api.create(CRD, definition())
        definitions.reconcile(("", created["metadata"]["name"]))
