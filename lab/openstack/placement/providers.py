"""Resource providers, traits and allocations, with their generations (openstack sheet §9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from lab.openstack.refusals import RefusalError

DISABLED = "COMPUTE_STATUS_DISABLED"
STANDARD_TRAITS = frozenset(
    {
        DISABLED,
        "COMPUTE_NODE",
        "COMPUTE_VOLUME_MULTI_ATTACH",
        "COMPUTE_TRUSTED_CERTS",
        "HW_CPU_X86_AVX2",
        "HW_CPU_X86_VMX",
    }
)
CHANGED = "Resource provider's generation already changed. Please update the generation and try again."
CONCURRENT = "placement.concurrent_update"
_BAD_TRAIT = (
    'The trait is invalid. A valid trait must be no longer than 255 characters, start with the prefix "CUSTOM_" and '
    'use following characters: "A"-"Z", "0"-"9" and "_"'
)
_CUSTOM = re.compile(r"CUSTOM_[A-Z0-9_]+")
Resources = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a provider has of one class."""

    total: int
    reserved: int = 0
    ratio: float = 1.0

    @property
    def capacity(self) -> int:
        """How much of it can be allocated."""
        return int((self.total - self.reserved) * self.ratio)


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider; that of a compute node has the uuid of its hypervisor and its hostname."""

    uuid: str
    name: str
    inventories: Mapping[str, Inventory]
    traits: frozenset[str] = frozenset()
    generation: int = 0


@dataclass(frozen=True, slots=True)
class Allocation:
    """What one consumer (a server or a migration) holds, by provider."""

    consumer: str
    resources: Mapping[str, Resources]
    project_id: str
    user_id: str
    kind: str = "INSTANCE"
    generation: int = 1


@dataclass(slots=True)
class Inventories:
    """All of Placement."""

    known_traits: set[str] = field(default_factory=lambda: set(STANDARD_TRAITS))
    _providers: dict[str, Provider] = field(default_factory=dict)
    _allocations: dict[str, Allocation] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Provider]:
        return iter(tuple(self._providers.values()))

    def add(self, provider: Provider) -> None:
        """A new provider; its traits become known."""
        self.known_traits |= provider.traits
        self._providers[provider.uuid] = provider

    def find(self, uuid: str) -> Provider | None:
        """The provider of that uuid."""
        return self._providers.get(uuid)

    def provider(self, uuid: str) -> Provider:
        """The provider of that uuid; refuses with 404."""
        found = self._providers.get(uuid)
        if found is None:
            raise RefusalError(404, f"No resource provider with uuid {uuid} found")
        return found

    def remove(self, uuid: str) -> None:
        """Take a provider away; refuses with 404, and with 409 while something is allocated from it."""
        self.provider(uuid)
        if any(uuid in allocation.resources for allocation in self._allocations.values()):
            message = f"Unable to delete resource provider {uuid}: Resource provider has allocations."
            raise RefusalError(409, message, "placement.resource_provider.inuse")
        del self._providers[uuid]

    def know(self, trait: str) -> bool:
        """Make a custom trait known; whether it is new. Refuses other names with 400."""
        if _CUSTOM.fullmatch(trait) is None:
            raise RefusalError(400, _BAD_TRAIT)
        new = trait not in self.known_traits
        self.known_traits.add(trait)
        return new

    def forget(self, trait: str) -> None:
        """Take a custom trait away that no provider has; refuses with 400, 404 and 409."""
        if not trait.startswith("CUSTOM_"):
            raise RefusalError(400, f"Cannot delete standard trait {trait}.")
        if trait not in self.known_traits:
            raise RefusalError(404, f"No such trait {trait}")
        if any(trait in provider.traits for provider in self):
            raise RefusalError(409, f"The trait {trait} is in use by a resource provider.")
        self.known_traits.remove(trait)

    def set_traits(self, uuid: str, traits: Iterable[str], generation: int) -> Provider:
        """Replace the traits of a provider that has that generation; refuses with 400 and 409."""
        provider, wanted = self.provider(uuid), frozenset(traits)
        if provider.generation != generation:
            raise RefusalError(409, CHANGED, CONCURRENT)
        unknown = sorted(wanted - self.known_traits)
        if unknown:
            raise RefusalError(400, f"No such trait {', '.join(unknown)}")
        return self._put(replace(provider, traits=wanted))

    def mark(self, uuid: str, trait: str, on: bool) -> None:
        """What nova-compute does to its own provider: set or take a trait; the generation moves on a change."""
        provider = self._providers.get(uuid)
        if provider is not None and (trait in provider.traits) is not on:
            self._put(replace(provider, traits=provider.traits | {trait} if on else provider.traits - {trait}))

    def allocation(self, consumer: str) -> Allocation | None:
        """What a consumer holds."""
        return self._allocations.get(consumer)

    def of_provider(self, uuid: str) -> list[Allocation]:
        """Who holds something of a provider."""
        return [allocation for allocation in self._allocations.values() if uuid in allocation.resources]

    def usages(self, uuid: str) -> dict[str, int]:
        """What is allocated of each class of the inventory."""
        used = dict.fromkeys(self.provider(uuid).inventories, 0)
        for allocation in self.of_provider(uuid):
            for name, amount in allocation.resources[uuid].items():
                used[name] = used.get(name, 0) + amount
        return used

    def fits(self, uuid: str, resources: Resources) -> bool:
        """Whether so much can still be allocated."""
        provider, used = self.provider(uuid), self.usages(uuid)
        return all(
            name in provider.inventories and used[name] + amount <= provider.inventories[name].capacity
            for name, amount in resources.items()
        )

    def allocate(self, allocation: Allocation) -> None:
        """Set what a consumer holds (its generation moves on), and move the generations of its providers."""
        before = self._allocations.get(allocation.consumer)
        generation = before.generation + 1 if before is not None else 1
        self._allocations[allocation.consumer] = replace(allocation, generation=generation)
        for uuid in allocation.resources:
            self._touch(uuid)

    def release(self, consumer: str) -> bool:
        """Take everything from a consumer; whether it held anything."""
        found = self._allocations.pop(consumer, None)
        for uuid in found.resources if found is not None else ():
            self._touch(uuid)
        return found is not None

    def _touch(self, uuid: str) -> None:
        provider = self._providers.get(uuid)
        if provider is not None:
            self._put(provider)

    def _put(self, provider: Provider) -> Provider:
        changed = self._providers[provider.uuid] = replace(provider, generation=provider.generation + 1)
        return changed
