"""Links from tests to their plan."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from utilities.stp.finding import Severity
from utilities.stp.rule import Hit, rule
from utilities.stp.traceability.claimed import same_plan
from utilities.stp.traceability.std.described import Described

_REQUEST = re.compile(r"\b(?:RFE|Epic)(?: (?:Reference|Tracking))?:\s*\S+", re.IGNORECASE)
_FIRST_LINE = 1


@rule("std-plan-link-missing", Severity.HIGH)
def plan_link_missing(described: Described) -> Iterator[Hit]:
    """Neither test nor class nor module links a plan, and no RFE or epic stands in its place.

    Why: who reads a red test wants to know what was promised.
    Bad: a module docstring without a link
    Good: `STP: stps/sig-storage/disk-growth.md`
    """
    docstrings = list(described.case.docstrings)
    linked = described.case.plan_path or any(_REQUEST.search(docstring.text) for docstring in docstrings)
    if docstrings and not linked:
        yield Hit(_FIRST_LINE, "no docstring links a plan", "add `STP: stps/…` to the one of the module")


@rule("std-plan-link-dead", Severity.HIGH)
def plan_link_dead(described: Described) -> Iterator[Hit]:
    """A link names a plan file that is not in `stps/`.

    Why: the plan was moved, renamed or never written, and nothing says what the test proves.
    Bad: `STP: stps/sig-storage/disk-grow.md`
    Good: `STP: stps/sig-storage/disk-growth.md`
    """
    for docstring in described.case.docstrings:
        link = docstring.description.plan_path
        if link and _names_a_plan(link) and not any(same_plan(link, plan) for plan in described.plans):
            where = docstring.text.count("\n", 0, docstring.text.index(link)) if link in docstring.text else 0
            blank = len(docstring.text) - len(docstring.text.lstrip())
            line = docstring.line + where - docstring.text.count("\n", 0, blank)
            yield Hit(line, f"{link} is no plan in stps/", "link the plan, or write it")


def _names_a_plan(link: str) -> bool:
    """A Markdown file or something below `stps/`; an issue or a document elsewhere is no plan file."""
    path = PurePosixPath(link.partition("#")[0].partition("?")[0])
    return path.suffix == ".md" or "stps" in path.parts
