"""Sign-offs: who agreed, and when.  Sheet §1.4 lists the spellings."""

import re
from dataclasses import dataclass

from utilities.stp.text import DASHES, Text
from utilities.stp.values import has_placeholder, is_empty, is_legacy_placeholder

SIGN_OFF_LABEL = re.compile(r"\b(?:sign-?\s?offs?|agreement|lgtm)\b(?:\s*\([^)]*\))?\s*$", re.IGNORECASE)
"""A label whose value is a signature; `Sign-off checklist` is none."""

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    r"\b(?:\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[-./]\d{1,2}[-./]\d{4}|\d{1,2}[/.-]\d{4}"
    rf"|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|\d{{1,2}}\.?\s+{_MONTH}\s+\d{{4}}|{_MONTH}\s+\d{{4}})",
    re.IGNORECASE,
)
_PENDING = re.compile(
    r"\W*(?:pending|awaiting|waiting|open|tbd|tbc|to be|not yet|unsigned|name\s*/\s*date)\b", re.IGNORECASE
)
_EMPTY_PARENTHESES = re.compile(r"\(\s*\)")
_BOX = re.compile(r"\[([ xX]?)\]\s*")


@dataclass(frozen=True, slots=True)
class SignOff:
    """A signature as written (`value`) and as understood.

    name, date: None when not given; `open`: nobody has signed yet; `bracketed`: real, but left in square brackets.
    """

    label: str
    value: str
    line: int
    name: str | None = None
    date: str | None = None
    open: bool = False
    bracketed: bool = False

    @property
    def complete(self) -> bool:
        """Signed by somebody on some date (a month is enough)."""
        return not self.open and self.name is not None and self.date is not None


def read_sign_off(label: str, value: Text, line: int) -> SignOff:
    """A signature from the value behind its label (or in its cell)."""
    flat = value.flat
    written = SignOff(label, flat, value.line or line)
    if is_empty(value) or has_placeholder(value) or is_legacy_placeholder(flat) or _PENDING.match(flat):
        return SignOff(label, flat, written.line, open=True)
    box = _BOX.match(flat)
    if box is not None:
        flat = flat[box.end() :]
    bracketed = flat.startswith("[") and flat.endswith("]")
    if bracketed:
        flat = flat[1:-1]
    name, date = name_and_date(flat)
    return SignOff(label, written.value, written.line, name, date, bracketed=bracketed and bool(name and date))


def name_and_date(flat: str) -> tuple[str | None, str | None]:
    """(who, when) in a value such as `PM One (@pm) / 2031-03-04`; None for what is missing."""
    date = _DATE.search(flat)
    rest = f"{flat[: date.start()]} {flat[date.end() :]}" if date else flat
    name = " ".join(_EMPTY_PARENTHESES.sub(" ", rest).strip(f" /,;.{DASHES}").split())
    return (name if sum(map(str.isalpha, name)) >= 2 else None), (date[0] if date else None)
