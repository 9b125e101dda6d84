"""What the HyperConverged operator sees, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.controllers.effects import Ref
from lab.controllers.events import Emit, EventType
from lab.kubevirt.hco.generate import KUBEVIRT_NAME
from lab.kubevirt.kinds import HCO, KUBEVIRT

Json = Mapping[str, Any]
NAME = "kubevirt-hyperconverged"


@dataclass(frozen=True, slots=True)
class HcoView:
    """A HyperConverged object and the KubeVirt object it owns."""

    hco: Json
    kubevirt: Json | None
    required: Json | None  # the KubeVirt spec it stands for; None: it cannot be built
    own_change: bool  # whether the HyperConverged object changed since the KubeVirt object was last written
    noticed_at: float  # product time at which the difference was first seen
    delay: float

    @property
    def is_ours(self) -> bool:
        """Whether it is the one object this operator serves."""
        return bool(self.hco["metadata"]["name"] == NAME) and "deletionTimestamp" not in self.hco["metadata"]

    @property
    def differs(self) -> bool:
        """Whether the KubeVirt object is not what it should be."""
        return self.kubevirt is not None and self.required is not None and self.kubevirt.get("spec") != self.required

    @property
    def kubevirt_ref(self) -> Ref:
        """The KubeVirt object."""
        return Ref(KUBEVIRT, self.hco["metadata"]["namespace"], KUBEVIRT_NAME)

    @property
    def ref(self) -> Ref:
        """The HyperConverged object."""
        return Ref(HCO, self.hco["metadata"]["namespace"], self.hco["metadata"]["name"])

    def event(self, kind: EventType, reason: str, message: str) -> Emit:
        """An event on the HyperConverged object."""
        return Emit(self.hco, kind, reason, message, "kubevirt-hyperconverged")
