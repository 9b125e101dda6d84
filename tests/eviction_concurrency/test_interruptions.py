"""
Drains that are interrupted

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Operator told a limit of two
    - Six large servers on one hypervisor, which take a minute each to move
"""

import pytest

__test__ = False


@pytest.mark.scenario("EVIC-21")
def test_restart_changes_nothing():
    """
    Test that a restart of the operator in mid-drain changes neither the bound nor the outcome.

    Steps:
        1. Drain the hypervisor until two migrations are in flight
        2. Delete the operator's pod
        3. Wait until the hypervisor is reported as evicted
    Expected:
        - All servers have moved with one attempt each, and at no instant were more than two migrations in flight
    """


@pytest.mark.scenario("EVIC-22")
def test_end_of_maintenance_stops_the_drain():
    """
    Test that unsetting maintenance starts no more migrations, lets running ones finish, and enables the service
    again.

    Steps:
        1. Drain the hypervisor until two migrations are in flight
        2. Unset maintenance
        3. Wait until nothing is in flight any more
    Expected:
        - No attempt begins after the end of maintenance, the two in flight end well, the Eviction is gone, and the
          service is enabled
    """
