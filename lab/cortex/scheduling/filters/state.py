"""Filters by the state of the host: its conditions, its zone (Cortex sheet §1.3)."""

from __future__ import annotations

from collections.abc import Mapping

from lab.cortex.scheduling.filters.known import keep_known
from lab.cortex.scheduling.steps import Answered, Asked, Step, everyone

_EXPECTED: Mapping[str, str] = {"Ready": "True", "HypervisorDisabled": "False", "Terminating": "False"}


def _status_conditions(asked: Asked) -> Answered:
    """Conditions that are missing pass, others are ignored."""
    return keep_known(
        asked, lambda host: all(host.conditions.get(type_, wanted) == wanted for type_, wanted in _EXPECTED.items())
    )


def _correct_az(asked: Asked) -> Answered:
    """A host without the label of a zone goes, although the product's log says it is kept."""
    zone = asked.request.zone
    return keep_known(asked, lambda host: host.zone == zone) if zone else everyone(asked)


STATUS_CONDITIONS = Step("filter_status_conditions", _status_conditions)
CORRECT_AZ = Step("filter_correct_az", _correct_az)
