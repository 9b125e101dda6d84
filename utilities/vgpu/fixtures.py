"""Preconditions that plans about VMs with a vGPU share; a plan's conftest imports those that it uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from utilities.clients import Versions
from utilities.evidence.sink import Sink
from utilities.guest import Workload
from utilities.kubevirt.actor import Actor
from utilities.kubevirt.gates import STANDING, Gates
from utilities.kubevirt.manifests import Option, with_label, with_vgpu
from utilities.kubevirt.migrations import MigrationsOf
from utilities.kubevirt.policies import Policies
from utilities.sharing.session import Sharing
from utilities.site import Site
from utilities.vgpu.hindrances import CRAWL
from utilities.vgpu.machine import Machine
from utilities.vgpu.witness import Seen, witnessed
from utilities.watching.passing import let_pass

AWD_LABEL = {"migration-test-plans/disruption": "allowed"}


@pytest.fixture(scope="session")
def gates(admin: Actor, versions: Versions, site: Site) -> Gates:
    """The switch of the plans' feature gate."""
    return Gates(admin, site.product.gate_for(versions.kubevirt or ""))


@pytest.fixture(scope="session")
def gate_on(gates: Gates, sharing: Sharing | None) -> Iterator[None]:
    """The gate, and what it needs, enabled cluster-wide, for as long as anybody on a shared cluster relies on it."""
    with gates.relied_on(sharing.standing(STANDING)) if sharing else gates.enabled():
        yield


@pytest.fixture(scope="session")
def policies(admin: Actor, namespace: str) -> Policies:
    """Migration policies that last as long as their context; cluster-wide, they are called like our namespace."""
    return Policies(admin, f"{namespace}-")


@pytest.fixture(scope="session")
def crawling(policies: Policies) -> Callable[[Machine], AbstractContextManager[str]]:
    """A policy that keeps a VM's migrations running: `with crawling(vm) as policy`."""
    return lambda vm: policies.matching({"app": vm.name}, **CRAWL)


@pytest.fixture(scope="session")
def migrations_of(admin: Actor) -> Callable[[Machine], MigrationsOf]:
    """Migrations of a VM, requested as administrator."""
    return lambda vm: MigrationsOf(admin, vm.namespace, vm.name)


@pytest.fixture(scope="session")
def vgpu(site: Site) -> Option:
    """The option that gives a VM one vGPU."""
    return with_vgpu(site.gpu.profile.resource)


@pytest.fixture(scope="session")
def awd(policies: Policies) -> Iterator[Option]:
    """The option that puts a VM under a policy with workload disruption allowed, as moves of vGPU VMs need it."""
    with policies.matching(AWD_LABEL, allowWorkloadDisruption=True):
        ((name, value),) = AWD_LABEL.items()
        yield with_label(name, value)


@pytest.fixture(scope="session")
def pause(admin: Actor, namespace: str, site: Site) -> Callable[[float], None]:
    """Lets product time pass, in seconds."""
    return lambda seconds: let_pass(admin.rest, namespace, seconds, time_scale=site.time_scale)


@pytest.fixture(scope="session")
def witness(admin: Actor, evidence: Sink) -> Callable[[Machine], AbstractContextManager[Seen]]:
    """Starts the workload in a VM's guest and watches both: `with witness(vm) as seen`."""

    @contextmanager
    def watching(vm: Machine) -> Iterator[Seen]:
        with witnessed(admin, vm, Workload.start(vm.shell)) as seen:
            evidence.about(seen)
            yield seen

    return watching
