"""
What comes before what in a drain, and how often

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Operator told a limit of three
    - Nine active servers on one hypervisor, which was drained once
"""

import pytest

__test__ = False


@pytest.mark.scenario("EVIC-08")
def test_each_server_is_asked_once():
    """
    Test that each server is asked to migrate exactly once when every attempt succeeds.

    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - Each of the servers has moved with one attempt
    """


@pytest.mark.scenario("EVIC-09")
def test_service_is_disabled_first():
    """
    Test that the compute service is disabled, and the hypervisor says so, before the first server is asked to
    migrate.

    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - No attempt begins before the hypervisor says that it is disabled, nor before Nova shows the service as
          disabled
    """
