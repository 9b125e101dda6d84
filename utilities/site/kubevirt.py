"""KubeVirt on a site: how it was installed, which GPUs there are, what test VMs boot."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, PositiveFloat, StringConstraints, field_validator, model_validator

from utilities.site.gates import KNOWN_GATES, gate_name
from utilities.site.gpus import GPU_PROFILES, ExtendedResource, GpuProfile
from utilities.site.hyperconverged import SHAPES, HyperConvergedApi, HyperConvergedShape
from utilities.site.part import Name, Part

Quantity = Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+)?([kMGT]|[KMGT]i)?$")]
"""A Kubernetes quantity of bytes."""

_INSTALLED: dict[str, dict[str, str]] = {
    "hco": {
        "namespace": "openshift-cnv",
        "hyperconverged": "kubevirt-hyperconverged",
        "kubevirt": "kubevirt-kubevirt-hyperconverged",
    },
    "kubevirt": {"namespace": "kubevirt", "kubevirt": "kubevirt"},
}


class Product(Part):
    """How KubeVirt was installed and what its objects are called."""

    installed_by: Literal["hco", "kubevirt"] = "hco"
    """`hco`: a HyperConverged object owns the KubeVirt object and rewrites it. `kubevirt`: no HCO, plain KubeVirt."""
    namespace: Name
    """Namespace of the product; default `openshift-cnv` with HCO, `kubevirt` without."""
    hyperconverged: Name | None = None
    """Name of the HyperConverged object; default `kubevirt-hyperconverged`; null without HCO."""
    hyperconverged_api: HyperConvergedApi = "v1"
    """API version to read and patch it in. HCO up to 1.17 serves only v1beta1."""
    kubevirt: Name
    """Name of the KubeVirt object; default `kubevirt-kubevirt-hyperconverged` with HCO, `kubevirt` without."""
    gate: str | None = None
    """Feature gate for vGPU live migration, if not the one that the observed KubeVirt version is known to use."""

    @model_validator(mode="before")
    @classmethod
    def _usual_names(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return _INSTALLED.get(str(data.get("installed_by", "hco")), {}) | data

    @field_validator("gate")
    @classmethod
    def _known_gate(cls, value: str | None) -> str | None:
        if value is not None and value not in KNOWN_GATES:
            raise ValueError(f"unknown gate {value!r}; known: {', '.join(KNOWN_GATES)}")
        return value

    @model_validator(mode="after")
    def _hyperconverged_with_hco_only(self) -> Self:
        if (self.hyperconverged is None) == (self.installed_by == "hco"):
            raise ValueError("hyperconverged must name the object with installed_by: hco, and be null without HCO")
        return self

    @property
    def shape(self) -> HyperConvergedShape:
        """Where things live in this site's HyperConverged object."""
        return SHAPES[self.hyperconverged_api]

    def gate_for(self, kubevirt_version: str) -> str:
        """The gate to switch: the site's own word, else by version. Raises Blocked if that version has none."""
        return self.gate or gate_name(kubevirt_version)


class Gpu(Part):
    """Which GPUs the site offers to tests."""

    profile: GpuProfile
    """A name of the built-in catalogue (utilities/site/gpus.py), or all fields of GpuProfile inline."""
    nodes: str = Field(default="nvidia.com/gpu.present=true", min_length=1)
    """Label selector of the nodes that carry them."""
    passthrough: ExtendedResource | None = None
    """Extended resource of GPUs that this site hands out by passthrough; null: those scenarios are blocked."""

    @field_validator("profile", mode="before")
    @classmethod
    def _from_catalogue(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value not in GPU_PROFILES:
            raise ValueError(f"unknown GPU profile {value!r}; known: {', '.join(GPU_PROFILES)}")
        return GPU_PROFILES[value]


class Guest(Part):
    """What test VMs boot."""

    image: str = Field(default="quay.io/containerdisks/fedora:latest", min_length=1)
    """Container disk with cloud-init, an SSH server and the NVIDIA guest driver's tools."""
    user: str = Field(default="fedora", min_length=1)
    """User that cloud-init creates and tests log in as."""
    memory: Quantity = "2Gi"
    """Guest memory; the product's acceptable migration time grows with it."""
    boot_budget: PositiveFloat = 240
    """Product seconds from VMI Running to an SSH answer: a slow image needs more."""
