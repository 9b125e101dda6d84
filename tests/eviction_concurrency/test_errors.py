"""
Servers in error while their hypervisor is drained

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Operator told a limit of three
"""

import pytest

__test__ = False


@pytest.mark.scenario("EVIC-12")
def test_server_in_error_is_left_alone():
    """
    [NEGATIVE] Test that a server in error cannot be moved and stays outstanding, while all healthy servers are moved.

    Preconditions:
        - Six active servers and one in error on one hypervisor
    Steps:
        1. Drain the hypervisor until only the server in error is outstanding
    Expected:
        - The six have moved, the one in error was not asked to, and it is outstanding to the end
    """


@pytest.mark.scenario("EVIC-13")
def test_failure_stays_told():
    """
    [NEGATIVE] Test that a failure cannot be hidden: it stays told while a server in error is outstanding, whatever
    succeeds beside it.

    Preconditions:
        - Six active servers and one in error on one hypervisor
    Steps:
        1. Drain the hypervisor until only the server in error is outstanding
    Expected:
        - From its first telling on, the condition about migrating servers names the failure of the server in error
    """


@pytest.mark.scenario("EVIC-15")
def test_repaired_server_is_moved():
    """
    Test that a server in error that is repaired in mid-drain is moved by the same Eviction.

    Preconditions:
        - Six active servers and one in error on one hypervisor
    Steps:
        1. Drain the hypervisor until only the server in error is outstanding
        2. Reset the server to active
        3. Wait until the hypervisor is reported as evicted
    Expected:
        - The repaired server has moved, and the Eviction is the one that was there before
    """


@pytest.mark.scenario("EVIC-19")
def test_pace_is_kept_beside_an_error():
    """
    Test that passes stay at most ten seconds apart beside a server in error.

    Preconditions:
        - Six active servers and one in error on one hypervisor
    Steps:
        1. Drain the hypervisor until only the server in error is outstanding
    Expected:
        - No slot stays free for longer than the operator takes to look again
    """


@pytest.mark.known_issue("guarantee 23: two servers that cannot go cause passes without a pause")
@pytest.mark.scenario("EVIC-23")
def test_polling_is_bounded():
    """
    [NEGATIVE] Test that two servers in error cannot cause passes without a pause.

    Preconditions:
        - Two servers in error on one hypervisor
    Steps:
        1. Drain the hypervisor until both are told as failed
        2. Let a minute pass
    Expected:
        - The Eviction does not change any more, and each server is looked at once a second at most
    """


@pytest.mark.known_issue("guarantee 10: a server in error on another host never leaves the queue")
@pytest.mark.scenario("EVIC-32")
def test_server_in_error_elsewhere_leaves():
    """
    [NEGATIVE] Test that a server that is in error on another host cannot hold up the drain.

    Preconditions:
        - Two active servers on one hypervisor
    Steps:
        1. Drain the hypervisor
        2. Stop the operator
        3. Live-migrate an outstanding server to another host and set it to error there
        4. Start the operator again and wait until the hypervisor is reported as evicted
    Expected:
        - The server leaves the queue, and the drain succeeds
    """
