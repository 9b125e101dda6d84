"""
Where servers go to

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Operator told a limit of three
"""

import pytest

from tests.eviction_concurrency.drains import end

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]


@pytest.fixture
def drain_beside_maintenance(flags, hypervisors, next_source, servers_on, drained):
    """Eight active servers drained while another hypervisor is in maintenance: (what was seen, the other's name)."""
    flags(3)
    idle, source = next_source(), next_source()
    with hypervisors.drained(idle) as other:
        end(other)
        with servers_on(source, 8) as servers, drained(source, servers, limit=3) as (seen, drain):
            end(drain)
    return seen, idle


@pytest.mark.scenario("EVIC-24", caught_by="disabled_host_chosen")
def test_disabled_hypervisor_is_no_target(drain_beside_maintenance):
    """
    [NEGATIVE] Test that a hypervisor in maintenance is not a possible target of a migration.

    Preconditions:
        - Hypervisor in maintenance, without servers
        - Eight active servers on another hypervisor
    Steps:
        1. Drain the other hypervisor until it is reported as evicted
    Expected:
        - All servers have moved, and none of them to a hypervisor in maintenance
    """
    drain, idle = drain_beside_maintenance
    assert drain.all_moved, drain.story()
    assert len(drain.cloud.into(idle)) == 0, drain.story()
