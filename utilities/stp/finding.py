"""What a check reports: data, never an exception."""

from dataclasses import dataclass
from enum import IntEnum


class Severity(IntEnum):
    """Weight of a finding; CRITICAL and HIGH block.  Source: sheet §2."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4

    @property
    def blocks(self) -> bool:
        """Whether an approval has to wait for it."""
        return self >= Severity.HIGH


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault at one place.

    what: what is wrong; todo: what to do about it; matched: the words a heuristic rule went by;
    open: an unsigned item: only the sign-off refuses it, a draft may carry it.
    """

    id: str
    severity: Severity
    path: str
    line: int
    what: str
    todo: str
    matched: tuple[str, ...] = ()
    open: bool = False

    @property
    def blocks(self) -> bool:
        """Whether it makes a check fail."""
        return self.severity.blocks and not self.open

    @property
    def place(self) -> tuple[str, int, str, str]:
        """The order findings are shown in: file, line, id."""
        return self.path, self.line, self.id, self.what

    def __str__(self) -> str:
        grade = "open" if self.open else self.severity.name
        words = f" (matched: {', '.join(self.matched)})" if self.matched else ""
        return f"{self.path}:{self.line}: {grade} {self.id}: {self.what}{words}; {self.todo}"
