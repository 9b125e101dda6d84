"""The site file as a model: which cluster, which product, which GPU, which guest, which timeouts.

Every field of the file is described here. Unknown fields are refused. Parse it with `utilities.site.load_site`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PositiveFloat,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from utilities.site.gates import KNOWN_GATES, gate_name
from utilities.site.gpus import GPU_PROFILES, ExtendedResource, GpuProfile
from utilities.site.hyperconverged import SHAPES, HyperConvergedApi, HyperConvergedShape
from utilities.site.timeouts import Timeouts

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$", max_length=253)]
"""Name of a Kubernetes object."""
Quantity = Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+)?([kMGT]|[KMGT]i)?$")]
"""A Kubernetes quantity of bytes."""

WALL_FLOOR = 10.0
"""No deadline on a scaled site is shorter than this on the wall clock: a busy machine pauses a process for seconds."""
WALL_SLACK = 2.0
"""A scaled site's product clock slows down when its machine falls behind, so its deadlines get this factor."""

_INSTALLED: dict[str, dict[str, str]] = {
    "hco": {
        "namespace": "openshift-cnv",
        "hyperconverged": "kubevirt-hyperconverged",
        "kubevirt": "kubevirt-kubevirt-hyperconverged",
    },
    "kubevirt": {"namespace": "kubevirt", "kubevirt": "kubevirt"},
}


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Access(_Part):
    """How to log in to a Kubernetes API."""

    kubeconfig: Path
    """Kubeconfig file; a relative path starts at the site file's directory, `~` is the home directory."""
    context: str | None = None
    """Context of that file; null: its current-context."""

    @field_validator("kubeconfig")
    @classmethod
    def _existing_file(cls, value: Path, info: ValidationInfo) -> Path:
        directory = info.context["directory"] if info.context else Path()
        path = Path(directory) / value.expanduser()
        if not path.is_file():
            raise ValueError(f"no such file: {path}")
        return path


class UnprivilegedAccess(Access):
    """A user without cluster rights, for the scenarios that prove what such a user cannot do."""

    user: str = Field(min_length=1)
    """The user's name as the cluster knows it: the subject of the role bindings that tests create."""


class KubernetesSite(Access):
    """Kubernetes access as cluster administrator, and optionally as somebody else."""

    unprivileged: UnprivilegedAccess | None = None
    """Without it the scenarios that need such a user are blocked."""
    request_timeout: PositiveFloat = 60
    """Wall seconds for a single request to be answered, on every site: the network does not scale."""
    proxy: str | None = None
    """HTTP proxy URL to reach the API through; null: directly. Proxy variables of the environment are ignored."""


class Product(_Part):
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


class Gpu(_Part):
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


class Guest(_Part):
    """What test VMs boot."""

    image: str = Field(default="quay.io/containerdisks/fedora:latest", min_length=1)
    """Container disk with cloud-init, an SSH server and the NVIDIA guest driver's tools."""
    user: str = Field(default="fedora", min_length=1)
    """User that cloud-init creates and tests log in as."""
    memory: Quantity = "2Gi"
    """Guest memory; the product's acceptable migration time grows with it."""
    boot_budget: PositiveFloat = 240
    """Product seconds from VMI Running to an SSH answer: a slow image needs more."""


class Site(_Part):
    """One place to run on. Immutable; built once per run and handed to whoever needs it."""

    name: str = Field(min_length=1)
    """Shown in reports."""
    kind: Literal["lab", "cluster"]
    """`lab`: the embedded cluster or one like it, may run faster than the wall clock. `cluster`: a real one."""
    time_scale: PositiveFloat = 1
    """Product seconds per wall second. 1 on a real cluster."""
    kubernetes: KubernetesSite
    product: Product = Field(default_factory=lambda: Product.model_validate({}))
    gpu: Gpu
    guest: Guest = Guest()
    timeouts: Timeouts = Timeouts()

    @model_validator(mode="after")
    def _only_labs_are_fast(self) -> Self:
        if self.kind == "cluster" and self.time_scale != 1:
            raise ValueError("time_scale must be 1 on a real cluster (kind: cluster)")
        return self

    def wall(self, seconds: float) -> float:
        """Wall seconds to allow for something that must happen within so many product seconds.

        The one place where product time becomes wall time. On a scaled site the answer is generous, because a busy
        machine must not decide a verdict: whether the product kept its deadline is read from product timestamps in
        the history.
        """
        if self.time_scale == 1:
            return seconds
        return max(WALL_FLOOR, WALL_SLACK * seconds / self.time_scale)
