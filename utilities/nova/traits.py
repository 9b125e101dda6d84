"""Traits of resource providers in Placement: what a host is said to be able to (openstack sheet §9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from utilities.errors import Conflict, NotFound
from utilities.evidence.steps import step
from utilities.nova.connection import Cloud
from utilities.nova.hosts import Host
from utilities.nova.undoing import KNOWN_TRAITS, TRAITS, undone
from utilities.reversible import UNWRITTEN, Entry, Journal
from utilities.watching import rereading


@dataclass(frozen=True, slots=True)
class Traits:
    """Traits of compute hosts. undo: where changes are written down until they are taken back."""

    cloud: Cloud
    undo: Journal = UNWRITTEN

    def of(self, host: Host) -> frozenset[str]:
        """Those of its provider now."""
        return self._read(host.hypervisor_id)[0]

    def all(self) -> frozenset[str]:
        """Those that Placement knows."""
        return frozenset(self.cloud.placement("GET", "/traits")["traits"])

    @contextmanager
    def known(self, *traits: str) -> Iterator[None]:
        """Custom traits that Placement knows for the length of the block, so that somebody can give them to a host.

        At the end those that were new are forgotten, unless somebody still has one.
        """
        new = sorted(frozenset(traits) - self.all())
        entry = Entry(KNOWN_TRAITS, {"traits": new}, f"traits {new} of Placement: deleted, unless somebody has them")
        with undone(lambda: self.forget(new), entry, self.undo):
            for trait in new:
                self.cloud.placement("PUT", f"/traits/{trait}")
            yield

    @contextmanager
    def added(self, host: Host, *traits: str) -> Iterator[None]:
        """Custom traits that the provider has for the length of the block; those that it had already stay."""
        new = frozenset(traits) - self.of(host)
        known = {"provider": host.hypervisor_id, "traits": sorted(new)}
        back = Entry(TRAITS, known, f"provider {host.name} of Placement: without traits {sorted(new)}")
        with self.known(*traits), undone(lambda: self.remove(host.hypervisor_id, new), back, self.undo):
            with step("add traits in Placement", host=host.name, traits=new):
                self._change(host.hypervisor_id, lambda now: now | new)
            yield

    def remove(self, provider: str, traits: Iterable[str]) -> None:
        """Take traits from a provider, by its uuid."""
        gone = frozenset(traits)
        self._change(provider, lambda now: now - gone)

    def forget(self, traits: Iterable[str]) -> None:
        """Delete custom traits that nobody has; Placement keeps the others."""
        for trait in traits:
            with suppress(NotFound, Conflict):
                self.cloud.placement("DELETE", f"/traits/{trait}")

    def _change(self, provider: str, changed: Callable[[frozenset[str]], frozenset[str]]) -> None:
        """Under the provider's generation, read again when somebody else was faster."""

        def attempt() -> None:
            now, generation = self._read(provider)
            wanted = changed(now)
            if wanted != now:
                body = {"traits": sorted(wanted), "resource_provider_generation": generation}
                self.cloud.placement("PUT", f"/resource_providers/{provider}/traits", body=body)

        rereading()(attempt)

    def _read(self, provider: str) -> tuple[frozenset[str], int]:
        body = self.cloud.placement("GET", f"/resource_providers/{provider}/traits")
        return frozenset(body["traits"]), int(body["resource_provider_generation"])
