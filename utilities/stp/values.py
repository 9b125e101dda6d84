"""What a value says: nothing, "not applicable", a placeholder of the template, an issue, a user story.  Sheet §2."""

import re
from collections.abc import Iterator

from utilities.stp.text import DASHES, Text

ISSUE_KEY = re.compile(r"\b[A-Z][A-Z0-9]+-\d+\b")
URL = re.compile(r"https?://[^\s)>\]]+")

_PLACEHOLDER = re.compile(
    r"\[\s*(?:Feature (?:Title|Name|Limitation)\b|Links? to\b|version(?: or N/A)?\s*\]|Name\(s\)|Name ?/ ?Date"
    r"|sig-xyz|List\b|Define\b|Brief description|Summarize\b|Describe\b|Add\b|Test Limitation\b|e\.g\.|Propose\b"
    r"|Reference\b|Jira-(?:123|ID)|TBD\s*\]|Name ?/ ?@github-|QE Lead Name\b|Item\s*\]|Risk Category\s*\]"
    r"|SIG-specific\b|This SIG\b)[^\[\]]*\]?",
    re.IGNORECASE,
)
_PERSON_PLACEHOLDER = re.compile(r"\[\s*(?:Name\(s\)|Name ?/ ?Date|Name ?/ ?@github-|QE Lead Name\b)", re.IGNORECASE)
_LEGACY_PLACEHOLDER = re.compile(r"\[ ?\] *Name ?/ ?Date", re.IGNORECASE)
_TO_BE_DECIDED = re.compile(r"(?:tbd|to be (?:determined|defined|decided))\.?", re.IGNORECASE)
_NA_START = re.compile(
    r"(?:n/?a|not applicable|none identified|none|no known risks?|no risks?(?: identified)?)(?![\w/])(?! of\b)",
    re.IGNORECASE,
)
_NA_SCOPE = re.compile(
    r"(?:\b(?:identified|known|for|in|to|at|this|the|stp|plan|test plan|release|version|feature|cycle|phase|"
    r"moment|time)\b|\bv?\d+(?:\.\d+)+\b|[\W_])+",
    re.IGNORECASE,
)
_STORY = re.compile(
    r"(?:\W*\w{1,4}\d+\W*)?\W*As (?:an?|the) [^,]+,\s*I\s+(?:want|need|can)\b", re.IGNORECASE | re.DOTALL
)
_SENTENCE_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)[.!?](?=[\s\"')*]|$)")


def placeholders(text: Text) -> Iterator[tuple[str, int]]:
    """(token, line) of every placeholder of the template in `text`; links are none, however they read."""
    if "[" not in text.plain:
        return
    unlinked = "".join(("\x00" * len(span.text)) if span.href is not None else span.text for span in text.spans)
    for match in _PLACEHOLDER.finditer(unlinked):
        yield " ".join(match[0].split()), text.line_at(match.start())


def has_placeholder(text: Text) -> bool:
    """Whether any placeholder of the template is left in `text`."""
    return next(placeholders(text), None) is not None


def names_nobody(token: str) -> bool:
    """Whether a placeholder token stands for a person: an unsigned item rather than a forgotten text."""
    return _PERSON_PLACEHOLDER.match(token) is not None or _LEGACY_PLACEHOLDER.match(token) is not None


def is_legacy_placeholder(value: str) -> bool:
    """Whether an agreement cell of the old tables is still `[ ] Name/Date`."""
    return _LEGACY_PLACEHOLDER.match(value.strip()) is not None


def is_empty(text: Text) -> bool:
    """Nothing, a dash, TBD, or nothing but a placeholder."""
    flat = text.flat.strip(f" {DASHES}*_.")
    return not flat or _TO_BE_DECIDED.fullmatch(flat) is not None or _PLACEHOLDER.fullmatch(text.flat) is not None


def is_na(text: Text) -> bool:
    """Begins with N/A, not applicable, none, no risk…, whatever follows."""
    return _NA_START.match(text.flat.lstrip("*_\"' ")) is not None


def reason_in(text: Text) -> str:
    """The words beyond "not applicable for this release", empty when there are none."""
    flat = text.flat.lstrip("*_\"' ")
    match = _NA_START.match(flat)
    if match is not None:
        flat = flat[match.end() :]
        scope = _NA_SCOPE.match(flat)
        if scope is not None and scope.end() == len(flat):
            return ""
        flat = flat.lstrip(f" .,;:(){DASHES}")
    return flat if any(character.isalpha() for character in flat) else ""


def is_bare_na(text: Text) -> bool:
    """N/A and no reason."""
    return is_na(text) and not reason_in(text)


def says_nothing(text: Text) -> bool:
    """Empty, or N/A without a reason."""
    return is_empty(text) or is_bare_na(text)


def is_user_story(text: Text) -> bool:
    """`As a <role>, I want|need|can …`, an id in front is allowed."""
    return _STORY.match(text.flat) is not None


def issue_key(text: str) -> str | None:
    """The first issue key in `text`."""
    match = ISSUE_KEY.search(text)
    return match[0] if match else None


def sentences(text: Text) -> tuple[str, ...]:
    """The sentences of a prose text; versions, "e.g." and "i.e." end none."""
    flat = text.flat
    found: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(flat):
        found.append(flat[start : match.end()].strip())
        start = match.end()
    found.append(flat[start:].strip())
    return tuple(sentence for sentence in found if any(character.isalnum() for character in sentence))
