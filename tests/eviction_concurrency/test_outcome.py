"""
How a drain ends, and what is told of it

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Three hypervisors without servers of others
"""

import uuid

import pytest

from tests.eviction_concurrency.drains import HUGE, LARGE, end
from utilities.hypervisors import HYPERVISORS, Eviction
from utilities.hypervisors.witness import watched
from utilities.reversible import Create

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]

UNKNOWN_TO_NOVA = "00000000-0000-4000-8000-000000000000"
DISABLED = {
    "type": "HypervisorDisabled",
    "status": "True",
    "reason": "Succeeded",
    "message": "Hypervisor is disabled",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}


@pytest.fixture
def drain_of_unequal_servers(flags, source, servers_on, drained):
    """Two active servers and a large one drained, so that the last one is on its way for long."""
    flags(3)
    with (
        servers_on(source, 2) as servers,
        servers_on(source, called="large", ram=LARGE) as large,
        drained(source, [*servers, *large], limit=3) as (seen, drain),
    ):
        end(drain)
    return seen


@pytest.fixture
def drain_with_late_arrival(nova, hypervisors, flags, next_source, servers_on, watching):
    """Three active servers drained while a huge one is on its way to their hypervisor."""
    flags(3)
    source, elsewhere = next_source(), next_source()
    with (
        servers_on(source, 3) as servers,
        servers_on(elsewhere, called="late", ram=HUGE) as late,
        watching(source, [*servers, *late], limit=3, beside=late) as seen,
    ):
        arrival = nova.migrations.live_migrate(late[0], to=source)
        arrival.wait("queued", "preparing", "running")
        with hypervisors.drained(source) as drain:
            end(drain)
            arrival.wait("completed")
    return seen


@pytest.fixture
def failed_drain(admin, nova, evidence, pause):
    """A drain of a hypervisor that Nova does not know, until a while after its end."""
    name = f"migration-plans-{uuid.uuid4().hex[:6]}"
    status = {"hypervisorId": UNKNOWN_TO_NOVA, "serviceId": UNKNOWN_TO_NOVA, "conditions": [DISABLED]}
    maintenance = {"spec": {"maintenance": "manual", "maintenanceReason": "migration test plans"}}
    with admin.applied(Create(HYPERVISORS, {"metadata": {"name": name}, "spec": {"lifecycleEnabled": False}})):
        admin.rest.patch(HYPERVISORS, name, {"status": status}, subresource="status")
        with watched(admin, nova, name, (), 1) as seen:
            evidence.about(seen)
            admin.rest.patch(HYPERVISORS, name, maintenance)
            Eviction(admin, name).wait_ended()
            pause(20)
    return seen


@pytest.mark.scenario("EVIC-14", caught_by="success_too_early")
def test_success_means_empty(drain_of_unequal_servers):
    """
    Test that the drain succeeds only when nothing is outstanding, and Nova then lists nothing on the hypervisor.

    Preconditions:
        - Operator told a limit of three
        - Two active servers and a large one on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - Success is told with an empty queue, after the last server has left, and Nova lists no server there
    """
    drain = drain_of_unequal_servers
    assert drain.all_moved, drain.story()
    assert drain.eviction.outcome == "Succeeded", drain.story()
    assert drain.eviction.left_at_its_end == (), drain.story()
    assert drain.eviction.ended_at >= max(flight.ended.earliest for flight in drain.cloud.flights), drain.story()
    assert drain.end.host.servers == {}, drain.story()


@pytest.mark.scenario("EVIC-25", caught_by="evicted_too_early")
def test_hypervisor_is_reported_as_evicted(parallel_drain):
    """
    Test that the hypervisor is reported as evicted after a successful drain, and not before.

    Preconditions:
        - Operator told a limit of three
        - Nine active servers on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - The hypervisor reads as evicting, then as evicted, and counts as evicted once the Eviction has succeeded
    """
    drain = parallel_drain
    assert drain.all_moved, drain.story()
    assert drain.hypervisor.reports == ("Evicting", "Evicted"), drain.story()
    assert drain.hypervisor.evicted > drain.eviction.order_of_end, drain.story()


@pytest.mark.known_issue("guarantee 14: servers that arrive after the list was taken are overlooked")
@pytest.mark.scenario("EVIC-30", caught_by="listed_once")
def test_late_arrival_is_moved(drain_with_late_arrival):
    """
    [NEGATIVE] Test that a drain cannot succeed before a server has left that lands after the servers were listed.

    Preconditions:
        - Operator told a limit of three
        - Three active servers on one hypervisor
        - A huge server on another hypervisor
    Steps:
        1. Live-migrate the huge server to the hypervisor
        2. Drain the hypervisor while the huge server is still on its way
        3. Wait until the hypervisor is reported as evicted
    Expected:
        - The huge server lands on the hypervisor and leaves it again, and the drain succeeds after that
    """
    drain = drain_with_late_arrival
    (late,) = drain.beside
    drain.require_late(late)
    assert drain.all_moved, drain.story()
    assert drain.eviction.outcome == "Succeeded", drain.story()
    assert drain.eviction.ended_at >= max(flight.ended.earliest for flight in drain.cloud.flights), drain.story()
    assert drain.end.host.servers == {}, drain.story()


@pytest.mark.known_issue("guarantee 25: a hypervisor whose drain failed is reported as evicted")
@pytest.mark.scenario("EVIC-31", caught_by="failed_counts_as_evicted")
def test_failed_drain_is_not_reported_as_evicted(failed_drain):
    """
    [NEGATIVE] Test that a hypervisor whose drain fails is not reported as evicted.

    Preconditions:
        - Hypervisor whose identity Nova does not know
    Steps:
        1. Ask for maintenance of the hypervisor until its Eviction is over
    Expected:
        - The Eviction ends as failed, and the hypervisor is never reported as evicted
    """
    drain = failed_drain
    assert drain.eviction.outcome == "Failed", drain.story()
    assert drain.hypervisor.evicted is None, drain.story()
    assert "Evicted" not in drain.hypervisor.reports, drain.story()
