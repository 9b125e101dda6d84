"""
How many migrations are in flight at once

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Three hypervisors without servers of others
"""

import pytest

from tests.eviction_concurrency.drains import POLL, SLACK, end
from utilities.hypervisors import EVICTIONS

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]

TOUCHED = "migration-test-plans/touched"


@pytest.fixture
def hasty_drain(admin, flags, source, servers_on, drained):
    """Six active servers drained at a limit of three; the Eviction is touched, so that pass follows pass at first."""
    flags(3)
    with servers_on(source, 6) as servers, drained(source, servers, limit=3) as (seen, drain):
        drain.eviction.wait_started()
        for number in range(20):
            touch = {"metadata": {"annotations": {TOUCHED: str(number)}}}
            admin.rest.patch(EVICTIONS, drain.eviction.name, touch)
        end(drain)
    return seen


@pytest.mark.scenario(
    "EVIC-01", caught_by=("drain_limit_ignored", "unreadable_uncounted", "lost_reply_uncounted", "seen_as_moved")
)
def test_limit_is_never_exceeded(parallel_drain):
    """
    [NEGATIVE] Test that a server cannot set out while all slots are taken: at no instant are more in flight.

    Preconditions:
        - Operator told a limit of three
        - Nine active servers on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All servers have moved, the limit was reached, and at no instant were more than three migrations in flight
    """
    drain = parallel_drain
    assert drain.all_moved, drain.story()
    assert drain.cloud.reached(3), drain.story()
    assert not drain.exceeded, drain.story()


@pytest.mark.scenario("EVIC-02", caught_by=("fresh_triggers_uncounted", "drain_limit_ignored"))
def test_fresh_requests_hold_slots(hasty_drain):
    """
    [NEGATIVE] Test that a server that was asked to migrate a moment ago cannot be overlooked by the next pass.

    Preconditions:
        - Operator told a limit of three
        - Six active servers on one hypervisor
    Steps:
        1. Drain the hypervisor
        2. Touch the Eviction again and again while the first migrations begin, so that pass follows pass
        3. Wait until the hypervisor is reported as evicted
    Expected:
        - All servers have moved, and at no instant were more than three migrations in flight
    """
    drain = hasty_drain
    assert drain.all_moved, drain.story()
    assert drain.cloud.reached(3), drain.story()
    assert not drain.exceeded, drain.story()


@pytest.mark.scenario("EVIC-03", caught_by=("one_start_a_pass", "serial_for_ever"))
def test_limit_is_reached(parallel_drain):
    """
    Test that the first pass fills all slots, and that each slot that becomes free is filled by the next one.

    Preconditions:
        - Operator told a limit of three
        - Nine active servers on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - Three migrations start with the first pass, and no slot stays free for longer than the operator takes to look
          again while servers wait
    """
    drain = parallel_drain
    assert drain.all_moved, drain.story()
    starts = [flight.began.earliest for flight in drain.cloud.flights]
    assert starts[2] - starts[0] <= SLACK, drain.story()
    assert max(drain.turns) <= POLL + SLACK, drain.story()


@pytest.mark.scenario("EVIC-04", caught_by=("two_by_default", "drain_limit_ignored"))
def test_default_is_serial(serial_drain):
    """
    Test that without flags one server is moved after the other.

    Preconditions:
        - Operator without flags of its own about concurrency
        - Nine active servers on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All servers have moved, and at no instant were two migrations in flight
    """
    drain = serial_drain
    assert drain.all_moved, drain.story()
    assert not drain.exceeded, drain.story()
