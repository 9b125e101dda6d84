"""
How long a drain takes

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - As many servers of one size drained without flags and at a limit of three
"""

import pytest

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]


@pytest.mark.scenario("EVIC-27", caught_by="serial_for_ever")
def test_time_falls_with_the_limit(serial_drain, parallel_drain):
    """
    Test that the time of a drain falls with the limit.

    Steps:
        1. Drain a hypervisor without flags until it is reported as evicted
        2. Drain a hypervisor with as many servers at a limit of three until it is reported as evicted
    Expected:
        - From its first start to its last end the parallel drain takes at most half of the time of the serial one
    """
    serial, parallel = serial_drain, parallel_drain
    assert serial.all_moved, serial.story()
    assert parallel.all_moved, parallel.story()
    took = f"{parallel.cloud.duration:.0f} s in parallel, {serial.cloud.duration:.0f} s serially"
    assert parallel.cloud.duration <= serial.cloud.duration / 2, f"{took}\n{parallel.story()}\n{serial.story()}"
