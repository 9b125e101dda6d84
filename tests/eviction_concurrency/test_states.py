"""
Servers that are not simply running

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Three hypervisors without servers of others
"""

import pytest

__test__ = False


@pytest.mark.known_issue("guarantee 16: a server being deleted holds a slot, at a limit of one the only one")
@pytest.mark.scenario("EVIC-16")
def test_server_being_deleted_holds_no_slot():
    """
    Test that a server being deleted is not asked to migrate, is waited for, and keeps no other server from its turn.

    Preconditions:
        - Operator without flags of its own about concurrency
        - A server that takes long to be deleted and an active one on one hypervisor
    Steps:
        1. Delete the server that takes long
        2. Drain the hypervisor until it is reported as evicted
    Expected:
        - The active server leaves while the other one is being deleted, the latter is never asked to migrate, and
          success comes after its end
    """


@pytest.mark.scenario("EVIC-17")
def test_stopped_servers_are_moved_and_confirmed():
    """
    Test that stopped servers leave by cold migration and are confirmed.

    Preconditions:
        - Operator told a limit of three
        - Two stopped servers and an active one on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - The stopped servers have moved by cold migration, are stopped on their targets, and none waits for
          confirmation
    """


@pytest.mark.known_issue("sheet section 2.5: a paused server is asked to move cold, which Nova refuses each time")
@pytest.mark.scenario("EVIC-29")
def test_paused_server_is_moved_live():
    """
    Test that a paused server is moved live and stays paused.

    Preconditions:
        - Operator told a limit of three
        - A paused server and an active one on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - Both servers have moved live, and the paused one is paused on its target
    """
