"""The site file as a model: which cluster, which systems are on it, which timeouts.

Every field of the file is described here and, section by section, in the modules beside it: `access`, `kubevirt`,
`cloud`, `timeouts`. Unknown fields are refused. Parse it with `utilities.site.load_site`.
"""

from __future__ import annotations

from typing import Any, Literal, Self, TypeVar

from pydantic import Field, PositiveFloat, model_validator

from utilities.errors import Blocked
from utilities.site.access import KubernetesSite
from utilities.site.cloud import Cortex, HypervisorOperator, OpenStack
from utilities.site.kubevirt import Gpu, Guest, Product
from utilities.site.part import Part
from utilities.site.timeouts import Timeouts

WALL_FLOOR = 10.0
"""No deadline on a scaled site is shorter than this on the wall clock: a busy machine pauses a process for seconds."""
WALL_SLACK = 2.0
"""A scaled site's product clock slows down when its machine falls behind, so its deadlines get this factor."""

_OTHERS = ("openstack", "hypervisor_operator", "cortex")
S = TypeVar("S")


class Site(Part):
    """One place to run on. Immutable; built once per run and handed to whoever needs it.

    Sections of systems that the site does not have are left out. Asking for one that is not there raises Blocked.
    """

    name: str = Field(min_length=1)
    """Shown in reports."""
    kind: Literal["lab", "cluster"]
    """`lab`: the embedded cluster or one like it, may run faster than the wall clock. `cluster`: a real one."""
    time_scale: PositiveFloat = 1
    """Product seconds per wall second. 1 on a real cluster."""
    kubernetes: KubernetesSite
    product_section: Product | None = Field(None, alias="product")
    """Default: HyperConverged under its usual names, unless the site has another system and no GPUs."""
    gpu_section: Gpu | None = Field(alias="gpu")
    """May be left out when the site has another system; null: KubeVirt without GPUs."""
    guest: Guest = Guest()
    openstack_section: OpenStack | None = Field(None, alias="openstack")
    hypervisor_operator_section: HypervisorOperator | None = Field(None, alias="hypervisor_operator")
    cortex_section: Cortex | None = Field(None, alias="cortex")
    timeouts: Timeouts = Timeouts()

    @model_validator(mode="before")
    @classmethod
    def _kubevirt_unless_left_out(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        if "gpu" in data or not any(data.get(name) is not None for name in _OTHERS):
            return {"product": {}} | data
        return {"gpu": None} | data

    @model_validator(mode="after")
    def _fast_and_exact_is_a_lab(self) -> Self:
        if self.kind == "cluster" and self.time_scale != 1:
            raise ValueError("time_scale must be 1 on a real cluster (kind: cluster)")
        if self.kind == "cluster" and self.openstack_section is not None and self.openstack_section.journal is not None:
            raise ValueError("openstack.journal: only a lab has one")
        return self

    @property
    def product(self) -> Product:
        """KubeVirt."""
        return self._section("product", self.product_section)

    @property
    def gpu(self) -> Gpu:
        """GPUs that tests may use."""
        return self._section("gpu", self.gpu_section)

    @property
    def openstack(self) -> OpenStack:
        """The cloud."""
        return self._section("openstack", self.openstack_section)

    @property
    def hypervisor_operator(self) -> HypervisorOperator:
        """The operator of the cloud's hypervisors."""
        return self._section("hypervisor_operator", self.hypervisor_operator_section)

    @property
    def cortex(self) -> Cortex:
        """The scheduler of the cloud."""
        return self._section("cortex", self.cortex_section)

    def _section(self, name: str, section: S | None) -> S:
        if section is None:
            raise Blocked(
                f"site {self.name} has no {name}",
                next_step=f"describe it in the site file, section {name}, or run on a site that has it",
            )
        return section

    def wall(self, seconds: float) -> float:
        """Wall seconds to allow for something that must happen within so many product seconds.

        The one place where product time becomes wall time. On a scaled site the answer is generous, because a busy
        machine must not decide a verdict: whether the product kept its deadline is read from product timestamps in
        the history.
        """
        if self.time_scale == 1:
            return seconds
        return max(WALL_FLOOR, WALL_SLACK * seconds / self.time_scale)
