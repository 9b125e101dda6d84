"""The approvals file: who decided what, and who agreed to which exception.  Format: docs/sign-off.md.

A person signs with name and date.  An entry that lacks one of them, or still holds a placeholder, is unsigned and
stays unsigned; it is no error, so that the file can be prepared before anybody signs.
"""

from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError

from utilities.stp.errors import StpError
from utilities.stp.signing import read_sign_off
from utilities.stp.source import decoded
from utilities.stp.text import bare
from utilities.stp.values import URL, issue_key

_DIGEST = 64
"""Hexadecimal digits of a SHA-256."""


def _text(value: object) -> object:
    """Null is nothing; a date or number that YAML made of a plain text is that text."""
    if value is None:
        return ""
    return str(value) if isinstance(value, date | int | float) and not isinstance(value, bool) else value


def _address(value: str) -> str:
    if value and not URL.fullmatch(value):
        raise ValueError("write a whole address (https://…), or leave it empty")
    return value


def _checksum(value: str) -> str:
    digits = value.removeprefix("sha256:").lower()
    if digits and (len(digits) != _DIGEST or not set(digits) <= set("0123456789abcdef")):
        raise ValueError("write sha256: and the 64 digits that the report shows, or leave it empty")
    return digits


_Words = Annotated[str, BeforeValidator(_text)]
_Address = Annotated[_Words, AfterValidator(_address)]
_Checksum = Annotated[_Words, AfterValidator(_checksum)]


class Decision(StrEnum):
    """What an approver says."""

    APPROVED = "approved"
    REJECTED = "rejected"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Signed(_Entry):
    """name: who; date: when (`2031-03-04`; a month is enough)."""

    name: _Words = ""
    date: _Words = ""

    @property
    def signed(self) -> bool:
        """A real name and a date, no placeholder for either."""
        written = f"{self.name} / {self.date}"
        return "[" not in written and bool(self.name and self.date) and read_sign_off("", bare(written, 1), 1).complete


class Approval(_Signed):
    """A decision about one report.  report: the checksum that the report shows."""

    role: str
    handle: _Words = ""
    decision: Decision | None = None
    report: _Checksum = ""

    def given_for(self, checksum: str) -> bool:
        """Signed, decided, and about this very report."""
        return self.signed and self.decision is not None and self.report == checksum


class Agreement(_Signed):
    """Somebody accepts that a scenario is excluded or has not passed.  issue: a key or an address."""

    scenario: str
    issue: _Words = ""
    reason: _Words = ""

    @property
    def complete(self) -> bool:
        """Issue, name and date are there."""
        return self.signed and bool(issue_key(self.issue) or URL.search(self.issue))


class Defect(_Entry):
    """An open defect that the approvers must know."""

    key: str
    severity: _Words = ""
    scenarios: tuple[str, ...] = ()
    workaround: _Words = ""
    decision: _Words = ""


class ManualRun(_Signed):
    """A scenario that was run by hand: told to the approvers, never counted as passed."""

    scenario: str
    result: _Words = ""
    link: _Address = ""


class Automation(_Entry):
    """merged: address of the merged change."""

    merged: _Address = ""


class Documentation(_Entry):
    """reviewed: address of the reviewed documentation or of its review."""

    reviewed: _Address = ""


class Approvals(_Entry):
    """The whole file; every part may be missing."""

    approvals: tuple[Approval, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    automation: Automation = Automation()
    documentation: Documentation = Documentation()
    defects: tuple[Defect, ...] = ()
    manual: tuple[ManualRun, ...] = ()


NOBODY = Approvals()
"""Nothing approved, nothing agreed."""


def read_approvals(path: Path) -> Approvals:
    """The approvals in a file.  Raises StpError naming file, place and field when it is not in the format."""
    try:
        text = decoded(path.read_bytes(), path)
    except OSError as error:
        raise StpError(f"{path}: cannot read: {error.strerror or error}", next_step="check the path") from error
    return approvals_in(text, path)


def approvals_in(text: str, path: Path) -> Approvals:
    """The approvals in a text; `path` only names it.  Raises StpError as above."""
    try:
        content: Any = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise StpError(f"{path}:{line}: no YAML: {problem}", next_step="see the example in docs/sign-off.md") from error
    if content is None:
        return NOBODY
    try:
        return Approvals.model_validate(content)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"]) or "top level"
        what = fault["msg"].removeprefix("Value error, ")
        raise StpError(f"{path}: {place}: {what}", next_step="see the format in docs/sign-off.md") from error
