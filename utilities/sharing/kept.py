"""What the Lease of a run says about the changes that it has not taken back yet. Pure.

The Lease is the journal: its holder is the run, or whoever takes the changes back in its place; nobody is on it when
it has no holder. It is there as long as it has entries.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from utilities.errors import SiteError
from utilities.evidence.redaction import redact, redact_text
from utilities.history import Obj
from utilities.reversible import Entry
from utilities.sharing.holders import NOTE, Holders, Mode

WITHHELD = "it holds a secret, which is not written down: only the run itself could have taken it back"


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry in a journal. problem: why it could not be taken back, "" as long as nobody has tried."""

    entry: Entry
    problem: str = ""

    @classmethod
    def of(cls, entry: Entry) -> Kept:
        """An entry as it is written down: without its data when there is a secret in it."""
        data = json.loads(json.dumps(entry.data))
        if redact(data) == data and redact_text(entry.what) == entry.what:
            return cls(replace(entry, data=data))
        return cls(Entry(entry.kind, {}, redact_text(entry.what.partition(":")[0])), WITHHELD)

    def __str__(self) -> str:
        """In one line: what it has to be like, and why it is not."""
        return " ".join(f"{self.entry.what}{f' ({self.problem})' if self.problem else ''}".split())


Entries = Mapping[str, Kept]
"""By key, oldest first."""


def entries_of(lease: Obj) -> dict[str, Kept]:
    """The entries of a journal. Raises SiteError when they are not ours."""
    metadata = lease["metadata"]
    text = (metadata.get("annotations") or {}).get(NOTE) or "{}"
    try:
        return {key: Kept(Entry(**kept["entry"]), kept["problem"]) for key, kept in json.loads(text).items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise SiteError(
            f"Lease {metadata.get('namespace')}/{metadata['name']}: annotation {NOTE} is not a journal: {text}",
            next_step="look there for what has to be repaired by hand, then delete the Lease",
        ) from error


def with_entries(lease: Obj, entries: Entries, holder: str, stamp: str, duration: int) -> dict[str, Any]:
    """The Lease with these entries, held by somebody who is alive; "" for nobody. Without entries it is nobody's."""
    before = Holders.of(lease)
    now: Holders | None = Holders(transitions=before.transitions)
    if holder and entries and now is not None:
        now = before.renewed_by(holder, stamp) or now.entered(holder, Mode.EXCLUSIVE, stamp)
    written = (now or before).written(lease, duration)
    annotations = {NOTE: json.dumps({key: asdict(kept) for key, kept in entries.items()})} if entries else {}
    return {**written, "metadata": {**written["metadata"], "annotations": annotations}}
