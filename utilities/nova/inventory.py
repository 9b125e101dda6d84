"""What a run can leave behind on a cloud: to be compared with what was there before it."""

from __future__ import annotations

from collections.abc import Iterator

from utilities.kubevirt.inventory import Item
from utilities.nova.nova import Nova


def inventory(nova: Nova) -> frozenset[Item]:
    """Servers, compute services that are disabled, and custom traits: those of hosts, and those that are known.

    Raises the suite's API errors.
    """
    return frozenset(_items(nova))


def _items(nova: Nova) -> Iterator[Item]:
    yield from (Item("server", "", server.name, server.id) for server in nova.servers.listing().servers)
    for host in nova.hosts.all():
        if not host.enabled:
            yield Item("disabled compute service", "", host.name, host.service_id)
        yield from (Item("trait", host.name, trait, "") for trait in nova.traits.of(host) if _custom(trait))
    yield from (Item("trait", "", trait, "") for trait in nova.traits.all() if _custom(trait))


def _custom(trait: str) -> bool:
    return trait.startswith("CUSTOM_")
