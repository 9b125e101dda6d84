"""
Drains that are interrupted

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Operator told a limit of two
    - Four servers on one hypervisor, which take a minute each to move, or three, which take two
"""

import pytest

from tests.eviction_concurrency.drains import HUGE, LARGE, POLL, end
from utilities.hypervisors import EVICTING

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]


@pytest.fixture
def restarted_drain(operator, flags, source, servers_on, drained, in_flight):
    """Four large servers drained at a limit of two, with a restart of the operator while two are in flight."""
    flags(2)
    with servers_on(source, 4, ram=LARGE) as servers, drained(source, servers, limit=2) as (seen, drain):
        in_flight(servers, 2)
        operator.restart()
        end(drain)
    return seen


@pytest.fixture
def interrupted_drain(nova, flags, source, servers_on, drained, in_flight, pause):
    """Three huge servers; maintenance ends while two are in flight, and some passes have come and gone."""
    flags(2)
    with servers_on(source, 3, ram=HUGE) as servers, drained(source, servers, limit=2) as (seen, drain):
        moving = in_flight(servers, 2)
        pause(2 * POLL)  # an operator that counts wrong has begun more by then
        drain.end()
        for server in moving:
            nova.servers.wait_off(server, source)
        pause(3 * POLL)
    return seen


@pytest.mark.scenario("EVIC-21", caught_by="in_flight_in_memory")
def test_restart_changes_nothing(restarted_drain):
    """
    Test that a restart of the operator in mid-drain changes neither the bound nor the outcome.

    Steps:
        1. Drain the hypervisor until two migrations are in flight
        2. Delete the operator's pod
        3. Wait until the hypervisor is reported as evicted
    Expected:
        - All servers have moved with one attempt each, and at no instant were more than two migrations in flight
    """
    drain = restarted_drain
    assert drain.all_moved, drain.story()
    assert not drain.exceeded, drain.story()
    assert set(drain.attempts.values()) == {1}, f"{drain.attempts}\n{drain.story()}"


@pytest.mark.scenario("EVIC-22", caught_by=("drain_goes_on", "service_stays_disabled"))
def test_end_of_maintenance_stops_the_drain(interrupted_drain):
    """
    Test that unsetting maintenance starts no more migrations, lets running ones finish, and enables the service again.

    Steps:
        1. Drain the hypervisor until two migrations are in flight, and longer than the operator takes to look again
        2. Unset maintenance
        3. Wait until nothing is in flight any more, and longer than the operator takes to look again
    Expected:
        - Two servers have moved and one is where it was, nothing is told of a drain any more, and the service is
          enabled
    """
    drain = interrupted_drain
    assert len(drain.cloud.left) == 2, drain.story()
    assert len(drain.end.host.servers) == 1, drain.story()
    assert drain.hypervisor.said(EVICTING)[-1] is None, drain.story()
    assert drain.end.host.enabled, drain.story()
