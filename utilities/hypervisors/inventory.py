"""What a run can leave behind on hypervisors: to be compared with what was there before it."""

from __future__ import annotations

from utilities.clients import Rest
from utilities.errors import NotFound
from utilities.history import dig
from utilities.hypervisors.kinds import HYPERVISORS
from utilities.kubevirt.inventory import Item


def inventory(rest: Rest) -> frozenset[Item]:
    """Hypervisors that are in maintenance. Evictions are objects like others (`utilities.kubevirt.inventory`)."""
    try:
        found = rest.list(HYPERVISORS)["items"]
    except NotFound:
        return frozenset()  # nobody has installed the kind
    return frozenset(
        Item("maintenance of hypervisor", "", one["metadata"]["name"], one["metadata"]["uid"])
        for one in found
        if dig(one, "spec", "maintenance")
    )
