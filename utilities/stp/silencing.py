"""Silencing one finding with a reason: `<!-- stp-lint: goal-vague - the standard defines it -->`.

The comment stands on the finding's line or directly above it (blank lines and other comments between do not count).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from utilities.stp.finding import Severity
from utilities.stp.rule import Hit, Rule, rule
from utilities.stp.source import Comment, Source
from utilities.stp.text import DASHES

_SILENCE = re.compile(rf"stp-lint:\s*(?P<id>[a-z][a-z0-9-]*[a-z0-9])\s*(?:[{DASHES}:]+\s*)?(?P<reason>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Silence:
    """Findings of rule `id` on one of `lines` are silenced for `reason`; without a reason they are not."""

    id: str
    reason: str
    line: int
    lines: frozenset[int]


@rule("silence-no-reason", Severity.HIGH)
def silence_no_reason(silence: Silence) -> Iterator[Hit]:
    """A comment silences a finding and gives no reason; the finding stays.

    Why: the QE sign-off shows the reason to the approvers.
    Bad: `<!-- stp-lint: goal-vague -->`
    Good: `<!-- stp-lint: goal-vague - the standard says what working means -->`
    """
    if not silence.reason:
        yield Hit(silence.line, f"{silence.id} is silenced without a reason", "write the reason behind the id")


@rule("silence-unused", Severity.LOW)
def silence_unused(silence: Silence) -> Iterator[Hit]:
    """A comment silences a finding that is not there.

    Why: it would silence the next one, which nobody has looked at.
    Bad: the comment is left above a goal that was rewritten
    Good: the comment is deleted with what it excused
    """
    if silence.reason:
        yield Hit(silence.line, f"nothing here to silence with {silence.id}", "delete the comment")


SILENCE_RULES: tuple[Rule[Silence], ...] = (silence_no_reason, silence_unused)
"""Asked about every silence that silences nothing."""


def about_tests(name: str) -> bool:
    """Whether an id belongs to the trace between plans and tests; such a silence is none of the linter's business."""
    return name.startswith("trace-")


def is_silence(comment: Comment) -> bool:
    """Whether a comment silences something."""
    return _SILENCE.fullmatch(comment.text) is not None


def silences_in(source: Source) -> tuple[Silence, ...]:
    """The silencing comments of a plan, in order."""
    visible = source.visible.split("\n")
    found: list[Silence] = []
    for comment in source.comments:
        lines = frozenset({*range(comment.line, comment.last_line + 1), _next_line(visible, comment.last_line)})
        silence = silence_of(comment.text, comment.line, lines)
        if silence is not None:
            found.append(silence)
    return tuple(found)


def silence_of(text: str, line: int, lines: frozenset[int]) -> Silence | None:
    """The silence that the text of a comment on `line` asks for on `lines`, None for any other comment."""
    match = _SILENCE.fullmatch(text)
    return Silence(match["id"], " ".join(match["reason"].split()), line, lines) if match is not None else None


def silenced(silences: Iterable[Silence], name: str, line: int) -> Silence | None:
    """The comment with a reason that silences a finding, if any."""
    return next((each for each in silences if each.reason and each.id == name and line in each.lines), None)


def _next_line(visible: Sequence[str], after: int) -> int:
    """The first line below `after` (1-based) that shows anything."""
    return next((number for number in range(after + 1, len(visible) + 1) if visible[number - 1].strip()), after)
