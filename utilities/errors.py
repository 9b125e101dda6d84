"""The suite's own errors: what happened and where, and what to do about it.

`AssertionError` is a verdict on the product and is raised in tests only. Everything here is the suite's or the site's.
Clients' exceptions are translated into this tree once, at the client boundary (`utilities.clients`).
"""

# ruff: noqa: N818 -- the names are the vocabulary of the house, which says NotFound and WaitTimeout without a suffix
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class SuiteError(Exception):
    """Anything raised on purpose. `str()` says what happened; `next_step` says what to do about it."""

    def __init__(self, what: str, *, next_step: str) -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step
        self.add_note(f"Next: {next_step}")

    def message(self) -> str:
        """Both parts in two lines, for a command line that prints no traceback."""
        return f"{self.what}\nNext: {self.next_step}"


class SiteError(SuiteError):
    """The site file is wrong, or the site rejects us."""


class PlanError(SuiteError):
    """A plan cannot be read, or plans and tests do not fit together."""


class Unreachable(SiteError):
    """Nobody answers at an address, or the connection broke. Worth another attempt while a test is running."""


class Blocked(SuiteError):
    """A need of a test is not met by this site: reported as *blocked*, never as passed, failed or skipped."""


class ApiError(SuiteError):
    """A server said no.

    code: HTTP status. reason: the machine-readable word of a Kubernetes Status ("" when the body was none).
    server_message: its text, unshortened. causes: a Status' details.causes (type, message and field as sent).
    """

    def __init__(
        self,
        what: str,
        *,
        next_step: str,
        code: int,
        reason: str = "",
        message: str = "",
        causes: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(what, next_step=next_step)
        self.code = code
        self.reason = reason
        self.server_message = message
        self.causes = tuple(causes)


class NotFound(ApiError):
    """404: the object or the kind does not exist."""


class Conflict(ApiError):
    """409: stale resourceVersion, object exists already, or a state that forbids the action."""


class Forbidden(ApiError):
    """403: the credentials are good, the permission is missing."""


class Gone(ApiError):
    """410: the resourceVersion is older than what the server remembers."""


class WaitEnded(SuiteError):
    """A wait ended without its goal.

    last_seen: the object as last observed (None: absent). history: what was observed meanwhile, in order.
    """

    def __init__(
        self, what: str, *, next_step: str, last_seen: Mapping[str, Any] | None = None, history: Sequence[Any] = ()
    ) -> None:
        super().__init__(what, next_step=next_step)
        self.last_seen = last_seen
        self.history = tuple(history)


class WaitTimeout(WaitEnded):
    """The deadline passed; says the last state and how long it held."""


class GoalLost(WaitEnded):
    """A state was reached that rules the goal out; raised at once, not at the deadline."""


class GuestError(SuiteError):
    """A guest command failed or the guest cannot be reached; says command, exit status and the tail of its output."""


class NotEnoughEvidence(SuiteError):
    """The recording cannot answer the question: the verdict is *inconclusive*, never *passed*."""


class TurnLost(NotEnoughEvidence):
    """Others may have changed the cluster during a test: whatever was seen, bad or good, proves nothing."""


class UndoFailed(SuiteError):
    """Reversible changes could not all be taken back; names each one left behind."""
