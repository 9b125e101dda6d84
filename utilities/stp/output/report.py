"""What a check has to tell, before it is written in any form."""

from collections import Counter
from dataclasses import dataclass

from utilities.stp.finding import Finding, Severity
from utilities.stp.silencing import Silence

GOOD, BAD, UNREADABLE = 0, 1, 2
"""Exit status: nothing blocks, a CRITICAL or HIGH finding, something cannot be read."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that gave no plan: the message names file, line and what is wrong; `todo` is the next step."""

    path: str
    message: str
    todo: str


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one command over `plans` readable plans, findings in the order they are shown in."""

    plans: int
    findings: tuple[Finding, ...]
    silenced: tuple[tuple[Finding, Silence], ...] = ()
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def status(self) -> int:
        """The exit status."""
        if self.unreadable:
            return UNREADABLE
        return BAD if any(finding.blocks for finding in self.findings) else GOOD

    @property
    def counts(self) -> dict[str, int]:
        """How many findings of each grade, gravest first, unsigned items last; grades without any are left out."""
        counted = Counter(grade(finding) for finding in self.findings)
        return {name: counted[name] for name in GRADES if counted[name]}


GRADES = (*(severity.name for severity in reversed(Severity)), "open")


def grade(finding: Finding) -> str:
    """The severity's name, or `open` for an unsigned item."""
    return "open" if finding.open else finding.severity.name


def sentence(finding: Finding) -> str:
    """What is wrong, the words that told, and what to do, on one line."""
    words = f" (matched: {', '.join(finding.matched)})" if finding.matched else ""
    return f"{finding.what}{words}: {finding.todo}"
