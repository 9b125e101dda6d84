"""
How many migrations are in flight at once

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Three hypervisors without servers of others
"""

import pytest

__test__ = False


@pytest.mark.scenario("EVIC-01")
def test_limit_is_never_exceeded():
    """
    [NEGATIVE] Test that more migrations than the limit are refused a slot: at no instant are more in flight.

    Preconditions:
        - Operator told a limit of three
        - Nine active servers on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All servers have moved, and at no instant were more than three migrations in flight
    """


@pytest.mark.scenario("EVIC-02")
def test_fresh_requests_hold_slots():
    """
    [NEGATIVE] Test that a server that was asked to migrate a moment ago cannot be overlooked by a pass that follows
    at once.

    Preconditions:
        - Operator told a limit of two
        - Six active servers on one hypervisor
    Steps:
        1. Drain the hypervisor
        2. Touch the Eviction again and again while the first migrations begin, so that pass follows pass
        3. Wait until the hypervisor is reported as evicted
    Expected:
        - All servers have moved, and at no instant were more than two migrations in flight
    """


@pytest.mark.scenario("EVIC-03")
def test_limit_is_reached():
    """
    Test that the first pass fills all slots, and that free slots are filled by the next one.

    Preconditions:
        - Operator told a limit of three
        - Nine active servers on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - Three migrations start with the first pass, and none of the following starts leaves a slot empty for longer
          than the operator takes to look again
    """


@pytest.mark.scenario("EVIC-04")
def test_default_is_serial():
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
