"""One write under way: on what, by whom, with which options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.apiserver.admission import Caller
from lab.apiserver.options import WriteOptions
from lab.apiserver.patching.managed import Entry
from lab.apiserver.replies import Reply
from lab.apiserver.resources import Resource


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """`patching`: it acts on the latest state. `entries`: managedFields decided by an apply, None: to be recorded."""

    resource: Resource
    caller: Caller
    options: WriteOptions
    subresource: str = ""
    reply: Reply | None = None
    patching: bool = False
    entries: Sequence[Entry] | None = None

    def warn(self, text: str) -> None:
        """Tell the client, if it listens."""
        if self.reply is not None:
            self.reply.warnings.append(text)
