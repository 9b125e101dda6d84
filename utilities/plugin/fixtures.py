"""Fixtures every plan stands on: the site, who acts on it, and a namespace with VMs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from utilities.plugin.sites import SITE, Actors

if TYPE_CHECKING:
    from utilities.clients import Versions
    from utilities.evidence.sink import Sink
    from utilities.kubevirt.actor import Actor
    from utilities.nova import Nova
    from utilities.sharing.session import Sharing
    from utilities.site import Site
    from utilities.vgpu.machine import Machines


@pytest.fixture(scope="session")
def site(request: pytest.FixtureRequest) -> Site:
    """The site of this run; the embedded lab is started for it."""
    return request.config.stash[SITE].site


@pytest.fixture(scope="session")
def evidence(request: pytest.FixtureRequest) -> Sink:
    """Where the running test leaves what it has seen."""
    from utilities.plugin.run import RUN

    return request.config.stash[RUN].sink


@pytest.fixture(scope="session")
def sharing(request: pytest.FixtureRequest) -> Sharing | None:
    """Our part in sharing the cluster with other runs and workers; None on a lab of our own."""
    return request.config.stash[SITE].sharing


@pytest.fixture(scope="session")
def actors(request: pytest.FixtureRequest) -> Actors:
    """Connections of the users that the site names."""
    return request.config.stash[SITE].actors


@pytest.fixture(scope="session")
def admin(actors: Actors) -> Actor:
    """The cluster administrator."""
    return actors.admin


@pytest.fixture(scope="session")
def nova(request: pytest.FixtureRequest) -> Nova:
    """The cloud, as its administrator; tests that use it are blocked on a site without one."""
    return request.config.stash[SITE].nova


@pytest.fixture(scope="session")
def versions(request: pytest.FixtureRequest) -> Versions:
    """What is installed."""
    return request.config.stash[SITE].versions


@pytest.fixture(scope="session")
def namespace(request: pytest.FixtureRequest, admin: Actor) -> Iterator[str]:
    """A namespace of this process; gone, with everything in it, when the session ends."""
    from utilities.clients import NAMESPACES
    from utilities.reversible import Create

    name = f"migration-plans-{request.config.stash[SITE].run_id}"
    with admin.applied(Create(NAMESPACES, {"metadata": {"name": name}})):
        yield name


@pytest.fixture(scope="session")
def machines(admin: Actor, namespace: str) -> Machines:
    """Starts VMs in the namespace."""
    from utilities.guest import GuestKey
    from utilities.guest.tunnel import Gateway
    from utilities.vgpu.machine import Machines

    key = GuestKey.generate(admin.site.guest.user)
    return Machines(admin, Gateway.of(admin.cluster), namespace, key)
