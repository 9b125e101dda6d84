"""Preconditions of the plan: servers on hypervisors of our own, the operator's flags, and drains that were watched."""

import itertools
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache

import pytest

from tests.eviction_concurrency.drains import MEDIUM, custom_traits, end
from utilities.errors import Blocked
from utilities.hypervisors.fixtures import hypervisors, operator
from utilities.hypervisors.witness import watched
from utilities.nova import State
from utilities.watching.passing import let_pass

__all__ = ["hypervisors", "operator"]


class Flags:
    """The operator with the flags a test asks for; it is started anew only when they differ from the last ones."""

    def __init__(self, operator):
        self._operator = operator
        self._now = None
        self._stack = ExitStack()

    def __call__(self, concurrency=1, by_trait=None):
        """Run with these; without any, as before there were flags."""
        wanted = (concurrency, by_trait or {})
        if wanted != self._now:
            self.close()
            self._stack.enter_context(self._operator.with_flags(concurrency=concurrency, by_trait=by_trait))
            self._now = wanted

    def close(self):
        """Go back to those of the site."""
        self._now = None
        self._stack.close()


@pytest.fixture(scope="session")
def flags(operator):
    """Starts the operator with other flags: `flags(3)`; as before at the end of the module."""
    return Flags(operator)


@pytest.fixture(scope="module", autouse=True)
def flags_of_the_module(flags):
    """Between two modules others may have the operator."""
    yield
    flags.close()


@pytest.fixture(scope="session")
def spare(hypervisors, nova):
    """Hypervisors in service without servers: (those without traits of their own, those with). Needs three."""
    known = set(hypervisors.names())
    hosts = [host for host in nova.hosts.all() if host.name in known and host.enabled and host.up]
    free = [host.name for host in hosts if not host.servers]
    plain = [name for name in free if not custom_traits(hypervisors, name)]
    if len(free) < 3 or len(plain) < 2:
        raise Blocked(
            f"of {len(known)} hypervisors {len(free)} are in service and empty, {len(plain)} of these without traits",
            next_step="empty three hypervisors, two of which have no custom traits",
        )
    return plain, [name for name in free if name not in plain]


@pytest.fixture(scope="session")
def next_source(spare):
    """The next hypervisor to drain, so that no drain starts where the last one has left something."""
    names = itertools.cycle(spare[0])
    return lambda: next(names)


@pytest.fixture
def source(next_source):
    """A hypervisor without servers and traits of its own."""
    return next_source()


@pytest.fixture(scope="session")
def servers_on(nova):
    """Servers on a hypervisor: `with servers_on(name, 6, state=State.STOPPED, ram=LARGE) as servers`."""
    template = cache(lambda ram: nova.servers.chosen(ram=ram))

    def made(name, count=1, *, called="server", state=State.ACTIVE, ram=MEDIUM, **made_of):
        servers = replace(nova.servers, template=replace(template(ram), **made_of))
        return servers.created(called, on=name, count=count, state=state)

    return made


@pytest.fixture(scope="session")
def watching(admin, nova, evidence):
    """Watches a drain: `with watching(name, servers, limit=3) as seen`; what fails in the block is noted."""

    @contextmanager
    def seeing(name, servers, *, limit, beside=()):
        with watched(admin, nova, name, servers, limit, beside) as seen:
            evidence.about(seen)
            with seen.noting():
                yield seen

    return seeing


@pytest.fixture(scope="session")
def drained(admin, nova, hypervisors, evidence):
    """Drains a hypervisor and watches: `with drained(name, servers, limit=3) as (seen, drain)`."""

    @contextmanager
    def draining(name, servers, *, limit, beside=()):
        with watched(admin, nova, name, servers, limit, beside) as seen:
            evidence.about(seen)
            with hypervisors.drained(name) as drain, seen.noting():
                yield seen, drain

    return draining


@pytest.fixture(scope="session")
def in_flight(nova, site):
    """Waits until so many of these servers are in flight: `in_flight(servers, 2)`; returns them."""

    def moving(servers):
        found = (nova.servers.find(server) for server in servers)
        return [server for server in found if server is not None and server.sample.moving]

    def wait(servers, count):
        return nova.polls.wait_for(
            lambda: moving(servers),
            lambda found: len(found) >= count,
            subject=f"{len(servers)} servers",
            expecting=f"{count} in flight",
            within=site.timeouts.drain,
            describe=lambda found: f"{len(found)} in flight",
        )

    return wait


@pytest.fixture(scope="session")
def pause(admin, site):
    """Lets product time pass, in seconds."""
    return lambda seconds: let_pass(admin.rest, "default", seconds, time_scale=site.time_scale)


@pytest.fixture(scope="session")
def parallel_drain(flags, next_source, servers_on, drained):
    """Nine active servers drained at a limit of three."""
    flags(3)
    source = next_source()
    with servers_on(source, 9) as servers, drained(source, servers, limit=3) as (seen, drain):
        end(drain)
    return seen


@pytest.fixture(scope="session")
def serial_drain(flags, next_source, servers_on, drained):
    """As many servers drained without flags."""
    flags()
    source = next_source()
    with servers_on(source, 9) as servers, drained(source, servers, limit=1) as (seen, drain):
        end(drain)
    return seen
