"""
How long a drain takes

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - The same servers drained serially and at a limit of three
"""

import pytest

__test__ = False


@pytest.mark.scenario("EVIC-27")
def test_time_falls_with_the_limit():
    """
    Test that the time of a drain falls with the limit.

    Steps:
        1. Drain the hypervisor without flags until it is reported as evicted
        2. Drain a hypervisor with the same servers at a limit of three until it is reported as evicted
    Expected:
        - From its first start to its last end the parallel drain takes at most half of the time of the serial one
    """
