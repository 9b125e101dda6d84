"""What a rule is: an id, a severity, an explanation, and a generator of hits over whatever it judges."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from inspect import cleandoc
from typing import Generic, TypeVar

from utilities.stp.finding import Finding, Severity

_Judged = TypeVar("_Judged")
_PART = re.compile(r"^(?P<name>Why|Bad|Good): ", re.MULTILINE)


class Kind(Enum):
    """How sure a rule is.  Source: sheet §2."""

    MECHANICAL = "mechanical"
    HEURISTIC = "heuristic"
    READER = "needs a reader"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a rule looks for, why it matters, a text that breaks it, and one that does not."""

    what: str
    why: str
    bad: str
    good: str


def explained(docstring: str) -> Explanation:
    """The explanation in a docstring: prose, then `Why:`, `Bad:` and `Good:`; a part that is not written is ''."""
    what, *pieces = _PART.split(cleandoc(docstring))
    parts = dict(zip(pieces[::2], (" ".join(piece.split()) for piece in pieces[1::2]), strict=True))
    return Explanation(what.strip(), parts.get("Why", ""), parts.get("Bad", ""), parts.get("Good", ""))


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


@dataclass(frozen=True, slots=True)
class Rule(Generic[_Judged]):
    """A rule over `_Judged`; `explanation` is the docstring of its check."""

    id: str
    severity: Severity
    kind: Kind
    explanation: Explanation
    check: Callable[[_Judged], Iterator[Hit]]

    def findings(self, judged: _Judged, path: str) -> Iterator[Finding]:
        """What the rule finds in something that stands in the file at `path`."""
        for hit in self.check(judged):
            yield Finding(self.id, self.severity, path, hit.line, hit.what, hit.todo, hit.matched, hit.open)


def rule(
    name: str, severity: Severity, kind: Kind = Kind.MECHANICAL
) -> Callable[[Callable[[_Judged], Iterator[Hit]]], Rule[_Judged]]:
    """Make a rule of a generator; it counts only once it is listed in a tuple of rules."""

    def made(check: Callable[[_Judged], Iterator[Hit]]) -> Rule[_Judged]:
        return Rule(name, severity, kind, explained(check.__doc__ or ""), check)

    return made
