"""The definition of Knowledge: what was learnt about a cloud, such as its flavor groups (cortex sheet §1.6)."""

from __future__ import annotations

from typing import Any

from lab.cortex.crds.frame import ANYTHING, CONDITIONS, REFERENCE, definition, ready_column
from lab.cortex.kinds import KNOWLEDGE
from lab.hypervisor_operator.crds.parts import TEXT, TIME, WHOLE, array, column, default, obj


def knowledge() -> dict[str, Any]:
    """The CustomResourceDefinition."""
    columns = (
        column("Domain", ".spec.schedulingDomain"),
        column("Created", ".metadata.creationTimestamp", type="date"),
        column("Extracted", ".status.lastExtracted", type="date"),
        column("Changed", ".status.lastContentChange", type="date"),
        column("Recency", ".spec.recency"),
        column("Features", ".status.rawLength", type="integer"),
        ready_column(),
    )
    references = array(REFERENCE)
    spec = obj(
        {
            "dependencies": obj({"datasources": references, "knowledges": references}),
            "description": TEXT,
            "extractor": obj({"config": ANYTHING, "name": TEXT}),
            "recency": default(TEXT, "60s"),
            "schedulingDomain": TEXT,
        },
        "recency", "schedulingDomain",
    )  # fmt: skip
    status = obj(
        {
            "conditions": CONDITIONS,
            "lastContentChange": TIME,
            "lastExtracted": TIME,
            "raw": ANYTHING,
            "rawLength": WHOLE,
        }
    )
    return definition(KNOWLEDGE, columns, spec, status)
