"""What a site offers to tests, by the names that `@pytest.mark.needs(...)` uses."""

from __future__ import annotations

from utilities.clients import NODES
from utilities.kubevirt.actor import Actor
from utilities.vgpu.capacity import free


def capabilities(actor: Actor) -> dict[str, int]:
    """Counts: gpu_nodes with a free vGPU of the site's type, free vgpus, free passthrough GPUs, unprivileged users."""
    site = actor.site
    nodes = {node["metadata"]["name"] for node in actor.rest.list(NODES, labels=site.gpu.nodes)["items"]}
    vgpus = {node: count for node, count in free(actor.rest, site.gpu.profile.resource).items() if node in nodes}
    whole = free(actor.rest, site.gpu.passthrough) if site.gpu.passthrough else {}
    return {
        "gpu_nodes": sum(count > 0 for count in vgpus.values()),
        "vgpus": sum(vgpus.values()),
        "passthrough": sum(whole.values()),
        "unprivileged": int(site.kubernetes.unprivileged is not None),
    }
