"""Which cluster, which product, which GPU, which timeouts: one validated, immutable model and one file format."""

from utilities.site.gates import HOOK_GATE, KNOWN_GATES, gate_name
from utilities.site.gpus import GPU_PROFILES, GpuProfile
from utilities.site.hyperconverged import SHAPES, HyperConvergedShape
from utilities.site.loading import load_site
from utilities.site.model import Access, Gpu, Guest, KubernetesSite, Product, Site, UnprivilegedAccess
from utilities.site.timeouts import Timeouts

__all__ = [
    "GPU_PROFILES",
    "HOOK_GATE",
    "KNOWN_GATES",
    "SHAPES",
    "Access",
    "Gpu",
    "GpuProfile",
    "Guest",
    "HyperConvergedShape",
    "KubernetesSite",
    "Product",
    "Site",
    "Timeouts",
    "UnprivilegedAccess",
    "gate_name",
    "load_site",
]
