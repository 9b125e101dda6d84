"""
Servers that are deleted while their hypervisor is drained

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Operator told a limit of three
    - Six active servers and one in error on one hypervisor
    - Drain that was recorded while three active servers were deleted behind the back of the operator
"""

import pytest

from tests.eviction_concurrency.drains import LARGE, end, wait_left
from utilities.nova import State

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]


@pytest.fixture(scope="module")
def drain_with_gone_servers(nova, operator, flags, next_source, servers_on, drained, in_flight):
    """Six active servers and one in error; three that wait are deleted while the operator is stopped."""
    flags(3)
    source = next_source()
    with (
        servers_on(source, 6, ram=LARGE) as servers,
        servers_on(source, called="broken", state=State.ERROR) as broken,
        drained(source, servers, limit=3, beside=broken) as (seen, drain),
    ):
        moving = {server.id for server in in_flight(servers, 3)}
        waiting = [server for server in servers if server.id not in moving]
        with operator.stopped():
            for server in waiting:
                nova.servers.delete(server)
            for server in waiting:
                nova.servers.wait_gone(server)
        wait_left(drain, broken)
        nova.servers.delete(broken[0])
        end(drain)
    return seen


@pytest.mark.scenario("EVIC-10", caught_by="gone_stays")
def test_gone_servers_leave_the_queue(drain_with_gone_servers):
    """
    Test that servers that are gone leave the queue whatever their position in it.

    Steps:
        1. Drain the hypervisor until three migrations are in flight
        2. Stop the operator, delete the three servers that wait, and start the operator again
        3. Wait until the server in error is the last, and delete it
    Expected:
        - The three others have moved, and the queue becomes empty
    """
    drain = drain_with_gone_servers
    assert len(drain.gone) == 3, drain.story()
    assert len(drain.cloud.left) == 3, drain.story()
    assert drain.eviction.queues[-1] == (), drain.story()


@pytest.mark.scenario("EVIC-11", caught_by=("gone_is_failure", "failure_forgotten"))
def test_gone_servers_are_no_failure(drain_with_gone_servers):
    """
    Test that a deleted server counts as gone, not as failed, and does not hide the failure of a server in error.

    Steps:
        1. Drain the hypervisor until three migrations are in flight
        2. Stop the operator, delete the three servers that wait, and start the operator again
        3. Wait until the server in error is the last, and delete it
    Expected:
        - No failure names a deleted server, and the failure of the server in error is told until it goes
    """
    drain = drain_with_gone_servers
    assert len(drain.gone) == 3, drain.story()
    assert [drain.eviction.failures_of(server.id) for server in drain.gone] == [[]] * 3, drain.story()
    (broken,) = drain.beside
    assert drain.eviction.reasons_beside(broken.id) == {"Failed"}, drain.story()


@pytest.mark.scenario("EVIC-20", caught_by="written_per_server")
def test_one_write_tells_a_pass(drain_with_gone_servers):
    """
    Test that all servers that leave in one pass leave the queue in one write, and that none comes back.

    Steps:
        1. Drain the hypervisor until three migrations are in flight
        2. Stop the operator, delete the three servers that wait, and start the operator again
        3. Wait until the server in error is the last, and delete it
    Expected:
        - The deleted servers leave the queue in one change of the Eviction, and no server enters it twice
    """
    drain = drain_with_gone_servers
    assert len(drain.gone) == 3, drain.story()
    assert drain.eviction.taken_out_at_once(server.id for server in drain.gone), drain.story()
    assert not drain.eviction.came_back, drain.story()
