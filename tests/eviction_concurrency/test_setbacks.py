"""
Requests that are refused, and attempts that come to nothing

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Three hypervisors without servers of others
"""

import pytest

__test__ = False


@pytest.mark.scenario("EVIC-18")
def test_refused_request_is_told_and_repeated():
    """
    [NEGATIVE] Test that a request that Nova refuses is told, does not end the pass, and is repeated until it is
    accepted.

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


@pytest.mark.known_issue("sheet section 2.8: an attempt that ends where it began is not told, and starves the others at a limit of one")
@pytest.mark.scenario("EVIC-28")
def test_attempt_that_came_back_is_told():
    """
    [NEGATIVE] Test that an attempt that fails back to where it began is told, and that others have their turn before
    it is repeated.

    Preconditions:
        - Operator without flags of its own about concurrency
        - A server that no other hypervisor can take and two active ones on one hypervisor
    Steps:
        1. Drain the hypervisor until only the server that cannot go is outstanding
    Expected:
        - Both active servers have moved, the failed attempt was told with the name of its server, and it was repeated
          only after the others had their turn
    """
