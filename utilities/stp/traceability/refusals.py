"""Whether something is about refusal or failure."""

import re

from utilities.stp.plan import Plan, Scenario

_REFUSAL = re.compile(
    r"\b(?:refus\w+|reject\w+|fail(?:s|ed|ure)?|forbidden|denied|blocked|cannot|not (?:be )?(?:possible|allowed))\b",
    re.IGNORECASE,
)


def is_negative(scenario: Scenario, plan: Plan) -> bool:
    """The scenario is marked [NEGATIVE]; in a plan without any such mark, its words speak of refusal or failure."""
    if any(each.negative for each in plan.scenarios):
        return scenario.negative
    return _REFUSAL.search(scenario.text) is not None
