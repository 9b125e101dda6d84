"""
Servers that are deleted while their hypervisor is drained

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Operator told a limit of three
    - Seven servers on one hypervisor, one of them in error
    - Drain that was recorded while three active servers were deleted behind the back of the operator
"""

import pytest

__test__ = False


@pytest.mark.scenario("EVIC-10")
def test_gone_servers_leave_the_queue():
    """
    Test that servers that are gone leave the queue whatever their position in it.

    Steps:
        1. Drain the hypervisor
        2. Stop the operator while servers are outstanding
        3. Delete three outstanding servers, which are not next to each other in the queue
        4. Start the operator again
    Expected:
        - The deleted servers leave the queue, and the others stay in it until they have moved
    """


@pytest.mark.scenario("EVIC-11")
def test_gone_servers_are_no_failure():
    """
    Test that a deleted server counts as gone, not as failed, and does not hide the failure of a server in error.

    Steps:
        1. Drain the hypervisor
        2. Stop the operator, delete three outstanding servers, start the operator again
    Expected:
        - No failure names a deleted server, and the failure of the server in error stays told
    """


@pytest.mark.scenario("EVIC-20")
def test_one_write_tells_a_pass():
    """
    Test that all servers that leave in one pass leave the queue in one write, and that none comes back.

    Steps:
        1. Drain the hypervisor
        2. Stop the operator, delete three outstanding servers, start the operator again
    Expected:
        - The deleted servers leave the queue in one change of the Eviction, and no server enters the queue twice
    """
