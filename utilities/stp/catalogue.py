"""Every rule that `stp` knows, whatever it judges, by id."""

from typing import Any

from utilities.stp.rule import Rule
from utilities.stp.rules import READER_RULES, RULES
from utilities.stp.silencing import SILENCE_RULES
from utilities.stp.traceability import claimed, planned, std

_LISTED: tuple[Rule[Any], ...] = (
    *RULES,
    *SILENCE_RULES,
    *READER_RULES,
    *claimed.RULES,
    *planned.RULES,
    *std.RULES,
)
RULES_BY_ID: dict[str, Rule[Any]] = {rule.id: rule for rule in reversed(_LISTED)}
"""The first rule of an id explains it: one about tests and one about scenarios share theirs."""
CATALOGUE = tuple(dict.fromkeys(RULES_BY_ID[rule.id] for rule in _LISTED))
