"""What runs on the site, as it says itself: for reports, and to choose names by version."""

from __future__ import annotations

from dataclasses import dataclass

from utilities.clients.resources import KUBEVIRTS, hyperconvergeds
from utilities.clients.rest import Rest
from utilities.errors import SiteError
from utilities.history import dig
from utilities.site import Product


@dataclass(frozen=True, slots=True)
class Versions:
    """hyperconverged: None without HCO, or if it does not tell."""

    kubernetes: str
    kubevirt: str
    hyperconverged: str | None


def observe_versions(rest: Rest, product: Product) -> Versions:
    """Ask the cluster. Raises NotFound if the product's objects are not where the site file says."""
    kubevirt = dig(rest.get(KUBEVIRTS, product.kubevirt, product.namespace), "status", "observedKubeVirtVersion")
    if not kubevirt:
        raise SiteError(
            f"KubeVirt {product.namespace}/{product.kubevirt} at {rest.url} reports no observedKubeVirtVersion",
            next_step="wait until the product is deployed, or repair its installation",
        )
    hyperconverged = None
    if product.hyperconverged is not None:
        found = rest.get(hyperconvergeds(product.hyperconverged_api), product.hyperconverged, product.namespace)
        versions = {entry.get("name"): entry.get("version") for entry in dig(found, "status", "versions") or ()}
        hyperconverged = versions.get("operator")
    return Versions(str(rest.call("GET", "/version")["gitVersion"]), str(kubevirt), hyperconverged)
