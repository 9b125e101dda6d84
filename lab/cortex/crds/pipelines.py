"""The definition of Pipeline: the filters and weighers a scheduling run consists of (cortex sheet §1.4)."""

from __future__ import annotations

from typing import Any

from lab.cortex.crds.frame import CONDITIONS, NUMBER, NUMBERS, definition
from lab.cortex.kinds import PIPELINE
from lab.hypervisor_operator.crds.parts import FLAG, LONG, TEXT, TEXTS, array, column, condition_column, default, obj

FILTER_WEIGHER, DETECTOR = "filter-weigher", "detector"
_PARAMETER = obj(
    {
        "boolValue": FLAG,
        "floatMapValue": NUMBERS,
        "floatValue": NUMBER,
        "intValue": LONG,
        "key": TEXT,
        "stringListValue": TEXTS,
        "stringValue": TEXT,
    },
    "key",
)
_STEP = {"description": TEXT, "name": TEXT, "params": array(_PARAMETER)}
_STEPS = array(obj(_STEP, "name"))


def pipelines() -> dict[str, Any]:
    """The CustomResourceDefinition."""
    columns = (
        column("Created", ".metadata.creationTimestamp", type="date"),
        column("Domain", ".spec.schedulingDomain"),
        column("Type", ".spec.type"),
        condition_column("All Steps Ready", "AllStepsReady", "status"),
        condition_column("All Steps Known", "AllStepsIndexed", "status"),
        condition_column("Pipeline Ready", "Ready", "status"),
    )
    spec = obj(
        {
            "description": TEXT,
            "detectors": _STEPS,
            "filters": _STEPS,
            "ignorePreselection": default(FLAG, False),
            "schedulingDomain": TEXT,
            "type": {"type": "string", "enum": [FILTER_WEIGHER, DETECTOR]},
            "weighers": array(obj({**_STEP, "multiplier": NUMBER}, "name")),
        },
        "schedulingDomain", "type",
    )  # fmt: skip
    return definition(PIPELINE, columns, spec, obj({"conditions": CONDITIONS}))
