"""
Flags of the operator

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Operator whose arguments may be changed
"""

import pytest

__test__ = False


@pytest.mark.scenario("EVIC-26")
def test_invalid_flags_are_refused():
    """
    [NEGATIVE] Test that the operator is refused a start with an invalid limit, and says which flag is wrong.

    Steps:
        1. Start the operator with the invalid flag
    Expected:
        - The operator ends with status 1, and its last words name the flag
    """
