"""
What comes before what in a drain, and how often

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Operator told a limit of three
    - Nine active servers on one hypervisor, which was drained once
"""

import pytest

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]


@pytest.mark.scenario("EVIC-08", caught_by="asked_twice")
def test_each_server_is_asked_once(parallel_drain):
    """
    Test that each server is asked to migrate exactly once when every attempt succeeds.

    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - Each of the servers has moved, and was asked to once
    """
    drain = parallel_drain
    assert drain.all_moved, drain.story()
    assert set(drain.attempts.values()) == {1}, f"{drain.attempts}\n{drain.story()}"


@pytest.mark.scenario("EVIC-09", caught_by="not_disabled_first")
def test_service_is_disabled_first(parallel_drain):
    """
    Test that the compute service is disabled, and the hypervisor says so, before the first server is asked to migrate.

    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - The hypervisor says that it is disabled before the first attempt, and the service is disabled at the end
    """
    drain = parallel_drain
    assert drain.all_moved, drain.story()
    assert drain.hypervisor.disabled_at <= min(flight.began.latest for flight in drain.cloud.flights), drain.story()
    assert not drain.end.host.enabled, drain.story()
