"""A rule explained on the command line: what, why, bad and good."""

from difflib import get_close_matches
from textwrap import fill
from typing import Any

from utilities.stp.catalogue import CATALOGUE, RULES_BY_ID
from utilities.stp.errors import StpError
from utilities.stp.rule import Kind, Rule
from utilities.stp.silencing import SILENCE_RULES

_WIDTH = 100
_CERTAINTY = {
    Kind.MECHANICAL: "mechanical: exact",
    Kind.HEURISTIC: "heuristic: goes by words, and names them",
    Kind.READER: "needs a reader: never reported",
}


def explain(name: str) -> str:
    """The explanation of a rule, ending in a line break.  Raises StpError when there is no such rule."""
    rule = RULES_BY_ID.get(name)
    if rule is None:
        raise StpError(f"no rule {name}", next_step=f"one of: {', '.join(_near(name))}")
    told = rule.explanation
    paragraphs = [" ".join(paragraph.split()) for paragraph in told.what.split("\n\n")]
    parts = [
        f"{rule.id}  {rule.severity.name}  ({_CERTAINTY[rule.kind]})",
        *(fill(paragraph, _WIDTH) for paragraph in paragraphs),
        "\n".join(_part(label, text) for label, text in (("Why", told.why), ("Bad", told.bad), ("Good", told.good))),
        *_silencing(rule),
    ]
    return "\n\n".join(parts) + "\n"


def _part(label: str, text: str) -> str:
    return fill(text, _WIDTH, initial_indent=f"{label + ':':<6}", subsequent_indent=" " * 6)


def _silencing(rule: Rule[Any]) -> list[str]:
    if rule.kind is Kind.READER or rule in SILENCE_RULES:
        return []
    if rule.id.startswith("std-"):
        return [f"To silence it, in the test:\n  # stp-lint: {rule.id} - reason"]
    return [f"To silence it, on its line or above:\n  <!-- stp-lint: {rule.id} - reason -->"]


def _near(name: str) -> list[str]:
    ids = [rule.id for rule in CATALOGUE]
    family = [each for each in ids if each.split("-")[0] == name.split("-")[0]]
    return family or get_close_matches(name, ids, n=5, cutoff=0.3) or ids
