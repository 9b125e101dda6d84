"""
Servers that are not simply running

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Three hypervisors without servers of others
"""

import pytest

from tests.eviction_concurrency.drains import end
from utilities.nova import State

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]

TAKES_LONG = {"lab:deletion_takes": "90"}


@pytest.fixture
def drain_of_stopped_servers(flags, source, servers_on, drained):
    """Two stopped servers and an active one drained."""
    flags(3)
    with (
        servers_on(source, called="active") as active,
        servers_on(source, 2, called="stopped", state=State.STOPPED) as stopped,
        drained(source, [*active, *stopped], limit=3, beside=stopped) as (seen, drain),
    ):
        end(drain)
    return seen


@pytest.fixture
def drain_of_a_paused_server(flags, source, servers_on, drained):
    """A paused server and an active one drained."""
    flags(3)
    with (
        servers_on(source, called="active") as active,
        servers_on(source, called="paused", state=State.PAUSED) as paused,
        drained(source, [*active, *paused], limit=3, beside=paused) as (seen, drain),
    ):
        end(drain)
    return seen


@pytest.fixture
def drain_beside_a_deletion(nova, flags, source, servers_on, drained):
    """An active server drained without flags, beside one that takes long to be deleted."""
    flags()
    with (
        servers_on(source, called="active") as active,
        servers_on(source, called="dying", metadata=TAKES_LONG) as dying,
    ):
        nova.servers.delete(dying[0])
        with drained(source, active, limit=1, beside=dying) as (seen, drain):
            end(drain)
    return seen


@pytest.mark.known_issue("guarantee 16: a server being deleted holds a slot, at a limit of one the only one")
@pytest.mark.scenario("EVIC-16", caught_by="deleting_holds_slot")
def test_server_being_deleted_holds_no_slot(drain_beside_a_deletion):
    """
    Test that a server being deleted is not asked to migrate, is waited for, and keeps no other server from its turn.

    Preconditions:
        - Operator without flags of its own about concurrency
        - An active server and one that takes long to be deleted on one hypervisor
    Steps:
        1. Delete the server that takes long
        2. Drain the hypervisor until it is reported as evicted
    Expected:
        - The active server leaves while the other one is still being deleted, the latter is never asked to migrate, and
          success comes after its end
    """
    drain = drain_beside_a_deletion
    (dying,) = drain.beside
    drain.require_listed(dying)
    assert drain.all_moved, drain.story()
    assert dying.id not in drain.cloud.started, drain.story()
    assert dying.id in drain.eviction.queue_without(drain.servers[0].id), drain.story()
    assert drain.end.host.servers == {}, drain.story()


@pytest.mark.scenario("EVIC-17", caught_by="never_confirmed")
def test_stopped_servers_are_moved_and_confirmed(drain_of_stopped_servers):
    """
    Test that stopped servers leave by cold migration and are confirmed.

    Preconditions:
        - Operator told a limit of three
        - Two stopped servers and an active one on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All three have moved, the stopped ones cold, and these are stopped on their targets, none waiting for
          confirmation
    """
    drain = drain_of_stopped_servers
    assert drain.all_moved, drain.story()
    assert drain.kinds_of(drain.beside) == {"migration"}, drain.story()
    assert drain.statuses_of(drain.beside) == {"SHUTOFF"}, drain.story()


@pytest.mark.known_issue("a paused server is asked to move cold, which Nova refuses each time")
@pytest.mark.scenario("EVIC-29", caught_by="paused_moved_cold")
def test_paused_server_is_moved_live(drain_of_a_paused_server):
    """
    Test that a paused server is moved live and stays paused.

    Preconditions:
        - Operator told a limit of three
        - A paused server and an active one on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - Both servers have moved, the paused one live, and it is paused on its target
    """
    drain = drain_of_a_paused_server
    assert drain.all_moved, drain.story()
    assert drain.kinds_of(drain.beside) == {"live-migration"}, drain.story()
    assert drain.statuses_of(drain.beside) == {"PAUSED"}, drain.story()
