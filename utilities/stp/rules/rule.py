"""What a lint rule is: an id, a severity, and a generator of hits over one plan."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from inspect import cleandoc

from utilities.stp.finding import Severity
from utilities.stp.plan import Plan


class Kind(Enum):
    """How sure a rule is.  Source: sheet §2."""

    MECHANICAL = "mechanical"
    HEURISTIC = "heuristic"


@dataclass(frozen=True, slots=True)
class Subject:
    """A plan and the circumstances it is judged in.

    fragment: sections may be missing (sheet §8); child: a child plan (sheet §1.11); parent: its parent, when at hand;
    children: names of the other plans in the folder of a parent.
    """

    plan: Plan
    fragment: bool = False
    child: bool = False
    parent: Plan | None = None
    children: tuple[str, ...] = ()

    @property
    def legacy(self) -> bool:
        """The plan uses a table of the old template."""
        return self.plan.legacy_line is not None


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule found.

    line, what is wrong, what to do; matched: the words a heuristic went by; open: only a person can close it.
    """

    line: int
    what: str
    todo: str
    matched: tuple[str, ...] = ()
    open: bool = False


Check = Callable[[Subject], Iterator[Hit]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule; `explanation` is the docstring of its check."""

    id: str
    severity: Severity
    kind: Kind
    explanation: str
    check: Check


def rule(name: str, severity: Severity, kind: Kind = Kind.MECHANICAL) -> Callable[[Check], Rule]:
    """Make a rule of a generator; it counts only once it is listed in RULES."""

    def made(check: Check) -> Rule:
        return Rule(name, severity, kind, cleandoc(check.__doc__ or ""), check)

    return made
