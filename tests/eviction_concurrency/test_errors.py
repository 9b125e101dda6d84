"""
Servers in error while their hypervisor is drained

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Three hypervisors without servers of others
"""

import pytest

from tests.eviction_concurrency.drains import LARGE, POLL, SLACK, end, wait_left
from utilities.hypervisors import MIGRATING, said
from utilities.nova import State

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]

QUIET = 30
"""Product seconds for which two servers in error are watched."""


@pytest.fixture(scope="module")
def error_story(nova, flags, next_source, servers_on, drained, watching):
    """Five active servers drained beside one in error, which is then repaired: (before that, all of it)."""
    flags()
    source = next_source()
    with (
        servers_on(source, 5) as healthy,
        servers_on(source, called="broken", state=State.ERROR) as broken,
        drained(source, [*healthy, *broken], limit=1, beside=broken) as (both, drain),
    ):
        with watching(source, healthy, limit=1, beside=broken) as before:
            wait_left(drain, broken)
        nova.servers.repair(broken[0])
        end(drain)
    return before, both


@pytest.fixture(scope="module")
def drain_beside_error(error_story):
    """Five active servers drained one after the other beside one in error, until that is the last."""
    return error_story[0]


@pytest.fixture(scope="module")
def repaired_drain(error_story):
    """The same, and the server in error repaired."""
    return error_story[1]


@pytest.fixture
def stuck_drain(nova, flags, source, servers_on, drained, watching, pause):
    """Two servers in error and nothing else: what was seen of a while, after a failure was told."""
    flags(3)
    with (
        servers_on(source, 2, called="broken", state=State.ERROR) as broken,
        drained(source, (), limit=3, beside=broken) as (_, drain),
    ):
        within = drain.actor.site.timeouts.drain
        drain.eviction.wait(lambda found: said(found, MIGRATING)[1] == "Failed", expecting="failing", within=within)
        pause(5)
        with watching(source, (), limit=3, beside=broken) as seen:
            pause(QUIET)
        for server in broken:
            nova.servers.delete(server)
        end(drain)
    return seen


@pytest.fixture
def drain_with_error_elsewhere(nova, operator, flags, source, servers_on, drained, in_flight):
    """Two active servers; one arrives elsewhere and is set to error there while the operator is stopped."""
    flags()
    with servers_on(source, 2, ram=LARGE) as servers, drained(source, servers, limit=1) as (seen, drain):
        moving = in_flight(servers, 1)
        with operator.stopped():
            nova.servers.wait_off(moving[0], source)
            nova.servers.break_(moving[0])
        end(drain)
    return seen


@pytest.mark.scenario("EVIC-12", caught_by=("error_dropped", "bad_server_first"))
def test_server_in_error_is_left_alone(drain_beside_error):
    """
    [NEGATIVE] Test that a server in error cannot be moved and stays outstanding, while all healthy servers are moved.

    Preconditions:
        - Operator without flags of its own about concurrency
        - Five active servers and one in error on one hypervisor
    Steps:
        1. Drain the hypervisor until only the server in error is outstanding
    Expected:
        - The five have moved, the one in error was not asked to, and it is outstanding to the end
    """
    drain = drain_beside_error
    (broken,) = drain.beside
    assert drain.all_moved, drain.story()
    assert broken.id not in drain.cloud.started, drain.story()
    assert all(broken.id in queue for queue in drain.eviction.queues), drain.story()


@pytest.mark.scenario("EVIC-13", caught_by="failure_forgotten")
def test_failure_stays_told(drain_beside_error):
    """
    [NEGATIVE] Test that a failure cannot be hidden: it stays told while a server in error is outstanding.

    Preconditions:
        - Operator without flags of its own about concurrency
        - Five active servers and one in error on one hypervisor
    Steps:
        1. Drain the hypervisor until only the server in error is outstanding
    Expected:
        - The five have moved, and from the first word on the server in error is told as failed
    """
    drain = drain_beside_error
    (broken,) = drain.beside
    assert drain.all_moved, drain.story()
    assert drain.eviction.failures_of(broken.id), drain.story()
    assert drain.eviction.reasons_beside(broken.id) == {"Failed"}, drain.story()


@pytest.mark.scenario("EVIC-15", caught_by="error_dropped")
def test_repaired_server_is_moved(repaired_drain):
    """
    Test that a server in error that is repaired in mid-drain is moved by the same Eviction.

    Preconditions:
        - Operator without flags of its own about concurrency
        - Five active servers and one in error on one hypervisor
    Steps:
        1. Drain the hypervisor until only the server in error is outstanding
        2. Reset the server to active
        3. Wait until the hypervisor is reported as evicted
    Expected:
        - The repaired server has moved as well, and there was one Eviction all the time
    """
    drain = repaired_drain
    assert drain.all_moved, drain.story()
    assert drain.eviction.outcome == "Succeeded", drain.story()
    assert len(drain.eviction.uids) == 1, drain.story()


@pytest.mark.scenario("EVIC-19", caught_by="trouble_backs_off")
def test_pace_is_kept_beside_an_error(drain_beside_error):
    """
    Test that passes stay at most ten seconds apart beside a server in error.

    Preconditions:
        - Operator without flags of its own about concurrency
        - Five active servers and one in error on one hypervisor
    Steps:
        1. Drain the hypervisor until only the server in error is outstanding
    Expected:
        - The five have moved, and no slot stayed free for longer than the operator takes to look again
    """
    drain = drain_beside_error
    assert drain.all_moved, drain.story()
    assert max(drain.turns) <= POLL + SLACK, f"slots stayed free for {drain.turns} s\n{drain.story()}"


@pytest.mark.known_issue("guarantee 23: two servers that cannot go cause passes without a pause")
@pytest.mark.scenario("EVIC-23", caught_by=("bad_servers_swap", "error_dropped"))
def test_polling_is_bounded(stuck_drain):
    """
    [NEGATIVE] Test that two servers in error cannot cause passes without a pause.

    Preconditions:
        - Operator told a limit of three
        - Two servers in error on one hypervisor
    Steps:
        1. Drain the hypervisor until a failure is told
        2. Let half a minute pass
    Expected:
        - Both servers are outstanding, the Eviction does not change any more, and looks at a server are a second apart
          at least
    """
    drain = stuck_drain
    assert len(drain.eviction.queues[-1]) == 2, drain.story()
    changes = drain.eviction.changes
    assert changes == 0, f"the Eviction changed {changes} times in {QUIET} s\n{drain.story()}"
    assert drain.cloud.polls.most_within(1).count <= 2, drain.story()  # one of them may be our own


@pytest.mark.known_issue("guarantee 10: a server in error on another host never leaves the queue")
@pytest.mark.scenario("EVIC-32", caught_by="error_elsewhere_stays")
def test_server_in_error_elsewhere_leaves(drain_with_error_elsewhere):
    """
    [NEGATIVE] Test that a server that is in error on another host cannot hold up the drain.

    Preconditions:
        - Operator without flags of its own about concurrency
        - Two large active servers on one hypervisor
    Steps:
        1. Drain the hypervisor until a server is in flight, and stop the operator
        2. Wait until the server has arrived on another host, and set it to error there
        3. Start the operator again and wait until the hypervisor is reported as evicted
    Expected:
        - Both servers have left, the queue becomes empty, and the drain succeeds
    """
    drain = drain_with_error_elsewhere
    assert drain.all_moved, drain.story()
    assert drain.eviction.queues[-1] == (), drain.story()
    assert drain.eviction.outcome == "Succeeded", drain.story()
