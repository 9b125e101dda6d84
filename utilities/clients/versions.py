"""What runs on the site, as it says itself: for reports, and to choose names by version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from utilities.clients.resources import CLUSTER_VERSIONS, KUBEVIRTS, NODES, hyperconvergeds
from utilities.clients.rest import Rest
from utilities.errors import NotFound, SiteError
from utilities.history import dig
from utilities.site import Product


@dataclass(frozen=True, slots=True)
class Versions:
    """kubevirt: None on a site without it. hyperconverged: None without HCO, or if it does not tell.

    openshift: None on another Kubernetes. node_systems, node_kernels: what nodes run, each once, sorted.
    """

    kubernetes: str
    kubevirt: str | None
    hyperconverged: str | None
    openshift: str | None
    node_systems: tuple[str, ...]
    node_kernels: tuple[str, ...]


def observe_versions(rest: Rest, product: Product | None) -> Versions:
    """Ask the cluster; product: None on a site without KubeVirt.

    Raises NotFound if the product's objects are not where the site file says.
    """
    kubevirt, hyperconverged = (None, None) if product is None else (_kubevirt(rest, product), _operator(rest, product))
    nodes = [dig(node, "status", "nodeInfo") or {} for node in rest.list(NODES)["items"]]
    return Versions(
        kubernetes=str(rest.call("GET", "/version")["gitVersion"]),
        kubevirt=kubevirt,
        hyperconverged=hyperconverged,
        openshift=_openshift(rest),
        node_systems=_told(nodes, "osImage"),
        node_kernels=_told(nodes, "kernelVersion"),
    )


def _kubevirt(rest: Rest, product: Product) -> str:
    found = dig(rest.get(KUBEVIRTS, product.kubevirt, product.namespace), "status", "observedKubeVirtVersion")
    if not found:
        raise SiteError(
            f"KubeVirt {product.namespace}/{product.kubevirt} at {rest.url} reports no observedKubeVirtVersion",
            next_step="wait until the product is deployed, or repair its installation",
        )
    return str(found)


def _operator(rest: Rest, product: Product) -> str | None:
    if product.hyperconverged is None:
        return None
    found = rest.get(hyperconvergeds(product.hyperconverged_api), product.hyperconverged, product.namespace)
    versions = {entry.get("name"): entry.get("version") for entry in dig(found, "status", "versions") or ()}
    return versions.get("operator")


def _openshift(rest: Rest) -> str | None:
    try:
        version = dig(rest.get(CLUSTER_VERSIONS, "version"), "status", "desired", "version")
    except NotFound:
        return None
    return str(version) if version else None


def _told(nodes: Sequence[Mapping[str, str]], name: str) -> tuple[str, ...]:
    return tuple(sorted({node[name] for node in nodes if node.get(name)}))
