"""
What traits of a hypervisor do to its limit

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Hypervisors that show custom traits, which Placement knows
"""

import pytest

__test__ = False


@pytest.mark.scenario("EVIC-05")
def test_lowest_limit_wins():
    """
    Test that of the default limit and the limits of the hypervisor's traits the lowest one holds.

    Preconditions:
        - Operator told a default limit of four, a limit of three for one trait of the hypervisor, of two for another,
          and of five for one it has as well
        - Six active servers on that hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All servers have moved, two migrations were in flight at once, and never more
    """


@pytest.mark.scenario("EVIC-06")
def test_exclusive_host_drains_serially():
    """
    Test that a hypervisor with an exclusive trait drains serially whatever the default is.

    Preconditions:
        - Operator told a default limit of four, and a limit of one for a trait of the hypervisor
        - Four active servers on that hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All servers have moved, and at no instant were two migrations in flight
    """


@pytest.mark.known_issue("guarantee 7: the limit is computed from traits that are known to be stale")
@pytest.mark.scenario("EVIC-07")
def test_stale_traits_raise_no_limit():
    """
    [NEGATIVE] Test that traits known to be stale cannot raise the limit: the drain is serial as long as they cannot
    be updated.

    Preconditions:
        - Operator told a default limit of four, and a limit of one for a trait that the hypervisor is to get
        - Placement refuses to update the traits of the hypervisor, and the hypervisor says so
        - Four active servers on that hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All servers have moved, and at no instant were two migrations in flight
    """
