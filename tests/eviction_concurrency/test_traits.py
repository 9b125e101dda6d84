"""
What traits of a hypervisor do to its limit

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Hypervisors that show custom traits, which Placement knows
"""

from contextlib import contextmanager

import pytest

from tests.eviction_concurrency.drains import custom_traits, end
from utilities.errors import Blocked
from utilities.history import condition_of, dig
from utilities.hypervisors import HYPERVISORS, TRAITS_UPDATED

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]

AWAITED_TRAIT = "CUSTOM_MIGRATION_PLANS_AWAITED"
LOWEST = pytest.param((4, (3, 2), 2), id="lowest")
NEVER_RAISED = pytest.param((2, (8,), 2), id="never-raised")
EXCLUSIVE = pytest.param((4, (1,), 1), id="exclusive")


@pytest.fixture
def drain_with_traits(request, flags, hypervisors, spare, servers_on, drained):
    """Four active servers off a hypervisor with traits; parameter: default, limits of its traits, and what holds."""
    default, limits, holds = request.param
    fitting = [name for name in spare[1] if len(custom_traits(hypervisors, name)) >= len(limits)]
    if not fitting:
        raise Blocked(f"no free hypervisor has {len(limits)} custom traits", next_step="give one of them some")
    flags(default, dict(zip(custom_traits(hypervisors, fitting[0]), limits, strict=False)))
    with servers_on(fitting[0], 4) as servers, drained(fitting[0], servers, limit=holds) as (seen, drain):
        end(drain)
    return seen


@pytest.fixture
def drain_with_stale_traits(flags, source, servers_on, stale, drained):
    """Four active servers drained at a default limit of four, while the hypervisor is to get an exclusive trait."""
    flags(4, {AWAITED_TRAIT: 1})
    with servers_on(source, 4) as servers, stale(source), drained(source, servers, limit=1) as (seen, drain):
        end(drain)
    return seen


@pytest.fixture
def stale(admin):
    """A hypervisor says that its traits could not be updated: `with stale(name)`; as before at the end."""

    def say(name, told):
        conditions = dig(admin.rest.get(HYPERVISORS, name), "status", "conditions")
        others = [one for one in conditions if one["type"] != TRAITS_UPDATED]
        admin.rest.patch(HYPERVISORS, name, {"status": {"conditions": [*others, told]}}, subresource="status")

    @contextmanager
    def doubted(name):
        before = condition_of(admin.rest.get(HYPERVISORS, name), TRAITS_UPDATED)
        say(name, {**before, "status": "False", "reason": "Failed", "message": "Failed to update traits in placement"})
        try:
            yield
        finally:
            say(name, before)

    return doubted


@pytest.mark.scenario("EVIC-05", caught_by=("trait_raises_limit", "traits_ignored", "drain_limit_ignored"))
@pytest.mark.parametrize("drain_with_traits", [LOWEST, NEVER_RAISED], indirect=True)
def test_lowest_limit_wins(drain_with_traits):
    """
    Test that of the default limit and the limits of the hypervisor's traits the lowest one holds.

    Parametrize:
        - drain_with_traits: [lowest, never-raised]
    Preconditions:
        - Operator told a default limit of four, three for one trait of the hypervisor and two for another; then told a
          default limit of two, and eight for a trait of the hypervisor
        - Four active servers on that hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All servers have moved, two migrations were in flight at once, and never more
    """
    drain = drain_with_traits
    assert drain.all_moved, drain.story()
    assert drain.cloud.reached(2), drain.story()
    assert not drain.exceeded, drain.story()


@pytest.mark.scenario("EVIC-06", caught_by=("traits_ignored", "trait_raises_limit", "drain_limit_ignored"))
@pytest.mark.parametrize("drain_with_traits", [EXCLUSIVE], indirect=True)
def test_exclusive_host_drains_serially(drain_with_traits):
    """
    Test that a hypervisor with an exclusive trait drains serially whatever the default is.

    Parametrize:
        - drain_with_traits: [exclusive]
    Preconditions:
        - Operator told a default limit of four, and a limit of one for a trait of the hypervisor
        - Four active servers on that hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All servers have moved, and at no instant were two migrations in flight
    """
    drain = drain_with_traits
    assert drain.all_moved, drain.story()
    assert not drain.exceeded, drain.story()


@pytest.mark.known_issue("guarantee 7: the limit is computed from traits that are known to be stale")
@pytest.mark.scenario("EVIC-07", caught_by="stale_traits_trusted")
def test_stale_traits_raise_no_limit(drain_with_stale_traits):
    """
    [NEGATIVE] Test that traits known to be stale cannot raise the limit: the drain is serial while they are.

    Preconditions:
        - Operator told a default limit of four, and a limit of one for a trait that the hypervisor is to get
        - The hypervisor says that its traits could not be updated
        - Four active servers on that hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All servers have moved, and at no instant were two migrations in flight
    """
    drain = drain_with_stale_traits
    assert drain.all_moved, drain.story()
    assert not drain.exceeded, drain.story()
