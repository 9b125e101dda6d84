"""
Requests that are refused, and attempts that come to nothing

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Three hypervisors without servers of others
"""

import pytest

from tests.eviction_concurrency.drains import POLL, end, wait_left
from utilities.nova import State

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]


@pytest.fixture(scope="module")
def refusal_story(nova, flags, next_source, servers_on, drained, watching):
    """Four active servers and a suspended one, which is resumed when it is the last: (before that, all of it)."""
    flags(3)
    source = next_source()
    with (
        servers_on(source, 4, called="active") as active,
        servers_on(source, called="suspended", state=State.SUSPENDED) as suspended,
        drained(source, [*active, *suspended], limit=3, beside=suspended) as (both, drain),
    ):
        with watching(source, active, limit=3, beside=suspended) as before:
            wait_left(drain, suspended)
        nova.servers.act(suspended[0], {"resume": None})
        end(drain)
    return before, both


@pytest.fixture
def drain_with_setbacks(nova, flags, source, servers_on, drained, watching, pause):
    """Two active servers drained without flags beside one whose disk cannot follow it, until that is the last."""
    flags()
    with (
        servers_on(source, called="rooted", volume=None) as rooted,
        servers_on(source, 2, called="active") as active,
        drained(source, active, limit=1, beside=rooted) as (_, drain),
    ):
        with watching(source, active, limit=1, beside=rooted) as seen:
            wait_left(drain, rooted)
            pause(2 * POLL)  # for an attempt to come back
        nova.servers.delete(rooted[0])
        end(drain)
    return seen


@pytest.mark.scenario("EVIC-18", caught_by="refusal_untold")
def test_refused_request_is_told_and_repeated(refusal_story):
    """
    [NEGATIVE] Test that a request that Nova refuses is told, does not end the pass, and is repeated until accepted.

    Preconditions:
        - Operator told a limit of three
        - A suspended server, which Nova refuses to migrate, and four active ones on one hypervisor
    Steps:
        1. Drain the hypervisor until only the suspended server is outstanding
        2. Resume the suspended server
        3. Wait until the hypervisor is reported as evicted
    Expected:
        - The active servers have moved meanwhile, the refusal was told with the name of the server, and the resumed
          server has moved as well
    """
    before, both = refusal_story
    (suspended,) = before.beside
    assert before.all_moved, before.story()
    assert any("failed to evict" in message for message in before.eviction.failures_of(suspended.id)), before.story()
    assert both.all_moved, both.story()


@pytest.mark.known_issue("an attempt that ends where it began is not told, and starves others")
@pytest.mark.scenario("EVIC-28", caught_by="came_back_silently")
def test_attempt_that_came_back_is_told(drain_with_setbacks):
    """
    [NEGATIVE] Test that an attempt that fails back to where it began is told, and repeated only in its turn.

    Preconditions:
        - Operator without flags of its own about concurrency
        - A server whose disk cannot follow it to another host, and two active ones on one hypervisor
    Steps:
        1. Drain the hypervisor until only the server that cannot go is outstanding
    Expected:
        - Both active servers have moved, the attempt was told with the name of its server, and was not repeated before
          the others had their turn
    """
    drain = drain_with_setbacks
    (rooted,) = drain.beside
    assert drain.all_moved, drain.story()
    drain.require_setback(rooted)
    assert drain.eviction.failures_of(rooted.id), drain.story()
    assert drain.repeated_in_turn(rooted), drain.story()
