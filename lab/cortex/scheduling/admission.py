"""What Cortex looks at before a request over HTTP runs: hosts, weights, and which pipeline (Cortex sheet §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lab.cortex.scheduling.request import BAD_REQUEST, Request, RequestError

HYPERVISOR_TYPE = "capabilities:hypervisor_type"
HANA_TRAIT = "trait:CUSTOM_HANA_EXCLUSIVE_HOST"
KVM = frozenset({"qemu", "ch"})

_BY_TYPE: Mapping[str, str] = {**dict.fromkeys(KVM, "kvm"), "vmware vcenter server": "vmware"}
_BY_TRAIT: Mapping[str, str] = {"forbidden": "general-purpose-load-balancing", "required": "hana-bin-packing"}


def admit(request: Request) -> Request:
    """The request with its pipeline chosen; raises RequestError(400, text)."""
    if any(host not in request.weights for host in request.hosts):
        raise RequestError(BAD_REQUEST, "missing weight for host")
    if set(request.weights) - set(request.hosts):
        raise RequestError(BAD_REQUEST, "weight assigned to unknown host")
    return request if request.pipeline else replace(request, pipeline=pipeline_for(request))


def pipeline_for(request: Request) -> str:
    """Name of the pipeline that a request without one goes to; raises RequestError(400, text)."""
    specs = request.flavor.extra_specs
    platform = _BY_TYPE.get(specs.get(HYPERVISOR_TYPE, "").lower())
    if platform is None:
        raise RequestError(BAD_REQUEST, "failed to determine hypervisor type from request data")
    purpose = _BY_TRAIT.get(specs.get(HANA_TRAIT, "forbidden").lower())
    if purpose is None:
        raise RequestError(BAD_REQUEST, "failed to determine flavor type from request data")
    return f"{platform}-{purpose}"
