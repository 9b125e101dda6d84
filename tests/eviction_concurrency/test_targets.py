"""
Where servers go to

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Operator told a limit of three
"""

import pytest

__test__ = False


@pytest.mark.scenario("EVIC-24")
def test_disabled_hypervisor_is_no_target():
    """
    [NEGATIVE] Test that a hypervisor in maintenance is not a possible target of a migration.

    Preconditions:
        - Hypervisor in maintenance, without servers
        - Six active servers on another hypervisor
    Steps:
        1. Drain the other hypervisor until it is reported as evicted
    Expected:
        - All servers have moved, and none of them to a hypervisor in maintenance
    """
