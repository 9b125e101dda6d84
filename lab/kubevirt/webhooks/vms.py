"""Admission of VMs (kubevirt sheet §2.1)."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from lab.apiserver.admission import Admission, Object, Review
from lab.apiserver.errors import Cause
from lab.kubevirt.config import ComponentConfig
from lab.kubevirt.denial import invalid_for
from lab.kubevirt.gates import DECENTRALIZED
from lab.kubevirt.kinds import VM
from lab.kubevirt.webhooks.checks import not_simulated, refuse_unsimulated, spec_causes
from lab.kubevirt.webhooks.defaults import MACHINE, spec_with_defaults

Json = Mapping[str, Any]
_WEBHOOK = "virtualmachine-validator.kubevirt.io"
_STRATEGIES = ("Halted", "Manual", "Always", "RerunOnFailure", "Once")


class VmAdmission:
    """virt-api's webhooks for VMs."""

    def __init__(self, rng: random.Random, config: ComponentConfig) -> None:
        self._rng = rng
        self._config = config

    def register(self, admission: Admission) -> None:
        """Take part in every write of a VM."""
        admission.mutate_with(VM.key, ("CREATE",), self._complete)
        admission.validate_with(VM.key, ("CREATE", "UPDATE"), self._check)

    def _complete(self, review: Review) -> Object:
        spec = dict(review.obj.get("spec") or {})
        template = spec.get("template")
        if not template or "spec" not in template:
            return review.obj
        inner = dict(template["spec"])
        domain = dict(inner.get("domain") or {})
        firmware = dict(domain.get("firmware") or {})
        for name in ("uuid", "serial"):
            firmware.setdefault(name, str(uuid.UUID(int=self._rng.getrandbits(128), version=4)))
        domain |= {"firmware": firmware, "machine": domain.get("machine") or {"type": MACHINE}}
        spec["template"] = {**template, "spec": {"architecture": "amd64", **inner, "domain": domain}}
        return {**review.obj, "spec": spec}

    def _check(self, review: Review) -> None:
        if "deletionTimestamp" in review.obj["metadata"]:
            return
        spec: Json = review.obj.get("spec") or {}
        for part in ("instancetype", "preference", "dataVolumeTemplates"):
            if spec.get(part):
                raise not_simulated(f"spec.{part} of a VirtualMachine")
        causes = list(_strategy_causes(spec))
        template = spec.get("template")
        if not template or "spec" not in template:
            causes = [Cause("FieldValueRequired", "missing virtual machine template.", "spec.template")]
        else:
            refuse_unsimulated(template["spec"])
            complete = spec_with_defaults(template["spec"], self._config.current)
            causes = [*spec_causes("spec.template.spec", complete, self._config.current), *causes]
        if causes:
            raise invalid_for(_WEBHOOK, *causes)


def _strategy_causes(spec: Json) -> Iterable[Cause]:
    strategy, running = spec.get("runStrategy"), spec.get("running")
    if strategy is not None and running is not None:
        text = (
            "Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy "
            "instead"
        )
        yield Cause("FieldValueInvalid", text, "spec.running")
    if strategy is None and running is None:
        yield Cause("FieldValueInvalid", "RunStrategy must be specified", "spec.running")
    if strategy == "WaitAsReceiver":
        why = f"{DECENTRALIZED} feature gate is not enabled in kubevirt resource"
        yield Cause("FieldValueInvalid", f"Invalid RunStrategy ({strategy}), {why}", "spec.runStrategy")
    elif strategy is not None and strategy not in _STRATEGIES:
        yield Cause("FieldValueInvalid", f"Invalid RunStrategy ({strategy})", "spec.runStrategy")
