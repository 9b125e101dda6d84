"""Definitions of what a scheduling run leaves: Decision, History and Descheduling (cortex sheet §1.5, §9)."""

from __future__ import annotations

from typing import Any

from lab.apiserver.custom.schemas.types import Schema
from lab.cortex.crds.frame import ANYTHING, CONDITIONS, NUMBERS, REFERENCE, definition, ready_column
from lab.cortex.kinds import DECISION, DESCHEDULING, HISTORY
from lab.hypervisor_operator.crds.parts import FLAG, TEXT, TEXTS, TIME, WHOLE, array, column, obj

_BEST: Schema = {**TEXTS, "maxItems": 3}
_RUN = {"intent": TEXT, "orderedHosts": _BEST, "pipelineRef": REFERENCE, "successful": FLAG, "timestamp": TIME}


def decisions() -> dict[str, Any]:
    """The definition of Decision. The binary keeps its own in memory; those that others create it carries out."""
    columns = (
        column("Domain", ".spec.schedulingDomain"),
        column("Resource ID", ".spec.resourceID"),
        column("#", ".status.precedence"),
        column("Created", ".metadata.creationTimestamp", type="date"),
        column("Pipeline", ".spec.pipelineRef.name"),
        column("TargetHost", ".status.result.targetHost"),
        ready_column(),
    )
    spec = obj(
        {
            **dict.fromkeys(("cinderRaw", "manilaRaw", "novaRaw"), ANYTHING),
            **dict.fromkeys(("machineRef", "pipelineRef", "podRef"), REFERENCE),
            **dict.fromkeys(("intent", "resourceID", "schedulingDomain"), TEXT),
        },
        "pipelineRef", "resourceID", "schedulingDomain",
    )  # fmt: skip
    step = obj({"activations": NUMBERS, "stepName": TEXT}, "activations", "stepName")
    result = obj(
        {
            "aggregatedOutWeights": NUMBERS,
            "normalizedInWeights": NUMBERS,
            "orderedHosts": TEXTS,
            "rawInWeights": NUMBERS,
            "stepResults": array(step),
            "targetHost": TEXT,
        }
    )
    status = obj(
        {
            "conditions": CONDITIONS,
            "explanation": TEXT,
            "history": array(REFERENCE),
            "precedence": WHOLE,
            "result": result,
        }
    )
    return definition(DECISION, columns, spec, status)


def histories() -> dict[str, Any]:
    """The definition of History: the last runs for one VM."""
    columns = (
        column("Domain", ".spec.schedulingDomain"),
        column("Resource ID", ".spec.resourceID"),
        column("AZ", ".spec.availabilityZone"),
        column("Target Host", ".status.current.targetHost"),
        ready_column("Status", "reason"),
        column("Last Scheduled", ".status.current.timestamp", type="date"),
        column("Created", ".metadata.creationTimestamp", type="date"),
    )
    spec = obj(
        dict.fromkeys(("availabilityZone", "resourceID", "schedulingDomain"), TEXT), "resourceID", "schedulingDomain"
    )
    current = obj({**_RUN, "explanation": TEXT, "targetHost": TEXT}, "intent", "pipelineRef", "successful", "timestamp")
    earlier = array(obj(_RUN, "intent", "pipelineRef", "timestamp"))
    return definition(HISTORY, columns, spec, obj({"conditions": CONDITIONS, "current": current, "history": earlier}))


def deschedulings() -> dict[str, Any]:
    """The definition of Descheduling, which the binary watches from its start."""
    columns = (
        column("Previous Host", ".spec.prevHost"),
        column("New Host", ".status.newHost"),
        column("Created", ".metadata.creationTimestamp", type="date"),
        column("Reason(s)", ".spec.reason"),
        ready_column(),
    )
    spec = obj(dict.fromkeys(("prevHost", "prevHostType", "reason", "ref", "refType"), TEXT))
    status = obj({"conditions": CONDITIONS, "newHost": TEXT, "newHostType": TEXT})
    return definition(DESCHEDULING, columns, spec, status)
