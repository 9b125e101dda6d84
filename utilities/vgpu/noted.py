"""What is being seen of a cluster, and what went wrong meanwhile: for a test to judge once the recording is closed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from utilities.errors import ApiError, NotEnoughEvidence, WaitEnded
from utilities.history import Timeline


@dataclass(slots=True, kw_only=True)
class Noted:
    """Complete once its context has ended. Questions raise NotEnoughEvidence before that.

    troubles: what kept a block inside `noting` from its end.
    """

    troubles: list[ApiError | WaitEnded] = field(default_factory=list)
    closed: Timeline | None = None

    @contextmanager
    def noting(self) -> Iterator[None]:
        """A refusal, or a wait that does not reach its goal, ends the block and is noted, for the test to judge."""
        try:
            yield
        except (ApiError, WaitEnded) as error:
            self.troubles.append(error)

    @property
    def timeline(self) -> Timeline:
        """The closed recording."""
        if self.closed is None:
            raise NotEnoughEvidence("nothing is recorded yet", next_step="ask after the witness has left")
        return self.closed
