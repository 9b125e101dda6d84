"""
Flags of the operator

STP: stps/cobaltcore/eviction-concurrency.md

Preconditions:
    - Operator whose arguments may be changed
"""

import pytest

from utilities.errors import WaitTimeout

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(openstack=1, free_hypervisors=3)]

DEFAULT = pytest.param("--eviction-concurrency=0", id="default")
BY_TRAIT = pytest.param("--eviction-trait-concurrency=CUSTOM_MIGRATION_PLANS=many", id="by-trait")


@pytest.fixture
def refused_start(request, operator, flags):
    """How the operator ends when it is started with a flag, the parameter: (the flag, the crash or None)."""
    flags.close()
    with operator.with_arguments(request.param, starts=False):
        try:
            return request.param, operator.wait_crash()
        except WaitTimeout:
            return request.param, None


@pytest.mark.known_issue("flags are looked at before there is a log, so that a refusal says nothing")
@pytest.mark.scenario("EVIC-26", caught_by="invalid_flags_accepted")
@pytest.mark.parametrize("refused_start", [DEFAULT, BY_TRAIT], indirect=True)
def test_invalid_flags_are_refused(refused_start):
    """
    [NEGATIVE] Test that the operator refuses to start with an invalid limit, and says which flag is wrong.

    Parametrize:
        - refused_start: [default, by-trait]
    Steps:
        1. Start the operator with a default limit of zero, or with a limit by trait that is no number
    Expected:
        - The operator ends with status 1, and its last words name the flag
    """
    flag, crash = refused_start
    assert crash is not None, f"the operator runs with {flag}"
    assert crash.exit_code == 1, crash.text
    assert flag.partition("=")[0] in crash.text, crash.text
