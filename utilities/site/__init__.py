"""Which cluster, which systems on it, which timeouts: one validated, immutable model and one file format."""

from utilities.site.access import Access, KubernetesSite, UnprivilegedAccess
from utilities.site.cloud import Cortex, HypervisorOperator, OpenStack
from utilities.site.gates import HOOK_GATE, KNOWN_GATES, gate_name
from utilities.site.gpus import GPU_PROFILES, GpuProfile
from utilities.site.hyperconverged import SHAPES, HyperConvergedShape
from utilities.site.kubevirt import Gpu, Guest, Product
from utilities.site.loading import load_site
from utilities.site.model import Site
from utilities.site.timeouts import Timeouts

__all__ = [
    "GPU_PROFILES",
    "HOOK_GATE",
    "KNOWN_GATES",
    "SHAPES",
    "Access",
    "Cortex",
    "Gpu",
    "GpuProfile",
    "Guest",
    "HyperConvergedShape",
    "HypervisorOperator",
    "KubernetesSite",
    "OpenStack",
    "Product",
    "Site",
    "Timeouts",
    "UnprivilegedAccess",
    "gate_name",
    "load_site",
]
