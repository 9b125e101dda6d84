"""Traits of resource providers in Placement: what a host is said to be able to (openstack sheet §9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from utilities.errors import Conflict, NotFound
from utilities.evidence.steps import step
from utilities.nova.connection import Cloud
from utilities.nova.hosts import Host
from utilities.nova.undoing import undone
from utilities.watching import rereading


@dataclass(frozen=True, slots=True)
class Traits:
    """Traits of compute hosts."""

    cloud: Cloud

    def of(self, host: Host) -> frozenset[str]:
        """Those of its provider now."""
        return self._read(host)[0]

    def all(self) -> frozenset[str]:
        """Those that Placement knows."""
        return frozenset(self.cloud.placement("GET", "/traits")["traits"])

    @contextmanager
    def known(self, *traits: str) -> Iterator[None]:
        """Custom traits that Placement knows for the length of the block, so that somebody can give them to a host.

        At the end those that were new are forgotten, unless somebody still has one.
        """
        new = sorted(frozenset(traits) - self.all())
        with undone(lambda: self._forget(new), f"no traits {new} in Placement"):
            for trait in new:
                self.cloud.placement("PUT", f"/traits/{trait}")
            yield

    @contextmanager
    def added(self, host: Host, *traits: str) -> Iterator[None]:
        """Custom traits that the provider has for the length of the block; those that it had already stay."""
        new = frozenset(traits) - self.of(host)
        back = f"{host.name} without {sorted(new)}"
        with self.known(*traits), undone(lambda: self._change(host, lambda now: now - new), back):
            with step("add traits in Placement", host=host.name, traits=new):
                self._change(host, lambda now: now | new)
            yield

    def _forget(self, traits: Iterable[str]) -> None:
        for trait in traits:
            with suppress(NotFound, Conflict):
                self.cloud.placement("DELETE", f"/traits/{trait}")

    def _change(self, host: Host, changed: Callable[[frozenset[str]], frozenset[str]]) -> None:
        """Under the provider's generation, read again when somebody else was faster."""

        def attempt() -> None:
            now, generation = self._read(host)
            wanted = changed(now)
            if wanted != now:
                body = {"traits": sorted(wanted), "resource_provider_generation": generation}
                self.cloud.placement("PUT", f"/resource_providers/{host.hypervisor_id}/traits", body=body)

        rereading()(attempt)

    def _read(self, host: Host) -> tuple[frozenset[str], int]:
        body = self.cloud.placement("GET", f"/resource_providers/{host.hypervisor_id}/traits")
        return frozenset(body["traits"]), int(body["resource_provider_generation"])
