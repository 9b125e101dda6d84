"""Every rule that `stp` knows, whatever it judges, by id."""

from typing import Any

from utilities.stp.rule import Rule
from utilities.stp.rules import READER_RULES, RULES
from utilities.stp.silencing import SILENCE_RULES

CATALOGUE: tuple[Rule[Any], ...] = (*RULES, *SILENCE_RULES, *READER_RULES)
RULES_BY_ID = {rule.id: rule for rule in CATALOGUE}
