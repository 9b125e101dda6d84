"""The site a run talks to: the embedded lab, started for it, or the cluster of a site file; opened when first asked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from utilities.errors import Blocked
from utilities.plugin import labprocess
from utilities.plugin.run import RUN, facts_of_lab
from utilities.site import Site, load_site

if TYPE_CHECKING:
    from utilities.clients import Versions
    from utilities.kubevirt.actor import Actor


@dataclass(frozen=True, slots=True)
class Actors:
    """Who acts on the site. unprivileged: None if the site names no such user."""

    admin: Actor
    unprivileged: Actor | None


class OpenSite:
    """One process' way to the site. Everything in it ends with `close`."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._stack = ExitStack()

    @cached_property
    def site(self) -> Site:
        """The site; a lab is started for it."""
        return self._stack.enter_context(_opened(self._config))

    @cached_property
    def actors(self) -> Actors:
        """Connections of its users."""
        from utilities.clients import connected
        from utilities.kubevirt.actor import Actor

        clients = self._stack.enter_context(connected(self.site))
        user = clients.unprivileged
        return Actors(Actor(self.site, clients.admin), Actor(self.site, user) if user else None)

    @cached_property
    def versions(self) -> Versions:
        """What is installed."""
        from utilities.clients import observe_versions

        return observe_versions(self.actors.admin.rest, self.site.product)

    @cached_property
    def capabilities(self) -> Mapping[str, int]:
        """What tests may need, counted once."""
        from utilities.vgpu.capabilities import capabilities

        return capabilities(self.actors.admin)

    def require(self, needs: Mapping[str, int]) -> None:
        """Raise Blocked naming what the site lacks."""
        missing = [
            f"{name} {count} (offers {self.capabilities.get(name, 0)})"
            for name, count in needs.items()
            if self.capabilities.get(name, 0) < int(count)
        ]
        if missing:
            raise Blocked(
                f"site {self.site.name} lacks {', '.join(missing)}",
                next_step="give the site what is missing, or run the test on another one",
            )

    def close(self) -> None:
        """Close connections; a lab ends."""
        self._stack.close()


SITE: pytest.StashKey[OpenSite] = pytest.StashKey()
_FACTS: pytest.StashKey[dict[str, str]] = pytest.StashKey()


def lab_choice(config: pytest.Config) -> labprocess.LabChoice:
    """The lab that the command line asks for."""
    option = config.option
    return labprocess.LabChoice(option.lab_profile, tuple(option.lab_fault), option.lab_seed, option.lab_time_scale)


@contextmanager
def _opened(config: pytest.Config) -> Iterator[Site]:
    if config.option.site != "lab":
        yield load_site(Path(config.option.site))
        return
    directory = config.stash[RUN].results / f"lab-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    with labprocess.running(lab_choice(config), directory) as path:
        yield load_site(path)


def preflight(config: pytest.Config) -> None:
    """Raise SuiteError when the site file is wrong, nobody answers, or the product or its gate is not there."""
    opened = OpenSite(config)
    try:
        versions = opened.versions
        opened.site.product.gate_for(versions.kubevirt)
        config.stash[_FACTS] = {
            "Target": opened.site.name,
            "Kubernetes": versions.kubernetes,
            "KubeVirt": versions.kubevirt,
            "HyperConverged": versions.hyperconverged or "none",
        }
    finally:
        opened.close()


def facts(config: pytest.Config) -> dict[str, str]:
    """What the report says about the site."""
    if config.option.site == "lab":
        return facts_of_lab(vars(config.option))
    observed: dict[str, str] = config.stash.get(_FACTS, {})
    return {"Site file": str(config.option.site), **observed}
