"""
How a drain ends, and what is told of it

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Three hypervisors without servers of others
"""

import pytest

__test__ = False


@pytest.mark.scenario("EVIC-14")
def test_success_means_empty():
    """
    Test that the drain succeeds only when nothing is outstanding, and Nova then lists nothing on the hypervisor.

    Preconditions:
        - Operator told a limit of three
        - Nine active servers on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - Success is told when the queue is empty, after the last server has left, and Nova lists no server on the
          hypervisor
    """


@pytest.mark.scenario("EVIC-25")
def test_hypervisor_is_reported_as_evicted():
    """
    Test that the hypervisor is reported as evicted after a successful drain, and not before.

    Preconditions:
        - Operator told a limit of three
        - Nine active servers on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - The hypervisor is reported as evicting, then as evicted, with readiness to match, and as evicted only after
          the Eviction has succeeded
    """


@pytest.mark.known_issue("guarantee 14: servers that arrive after the list was taken are overlooked")
@pytest.mark.scenario("EVIC-30")
def test_late_arrival_is_moved():
    """
    [NEGATIVE] Test that a drain cannot succeed before a server has left that lands after the servers were listed.

    Preconditions:
        - Operator told a limit of three
        - Three active servers on one hypervisor
        - A large server on another hypervisor
    Steps:
        1. Live-migrate the large server to the hypervisor
        2. Drain the hypervisor while the large server is still on its way
        3. Wait until the hypervisor is reported as evicted
    Expected:
        - The large server lands on the hypervisor, leaves it again, and the drain succeeds after that
    """


@pytest.mark.known_issue("guarantee 25: a hypervisor whose drain failed is reported as evicted")
@pytest.mark.scenario("EVIC-31")
def test_failed_drain_is_not_reported_as_evicted():
    """
    [NEGATIVE] Test that a hypervisor whose drain fails is not reported as evicted.

    Preconditions:
        - Hypervisor whose identity Nova does not know
    Steps:
        1. Ask for maintenance of the hypervisor until its Eviction is over
    Expected:
        - The Eviction ends as failed, and the hypervisor is never reported as evicted
    """
