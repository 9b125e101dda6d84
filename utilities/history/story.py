"""The run as a reader wants it: who changed to what and when. The message of a red assertion."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from utilities.history.objects import EVENT, dig
from utilities.history.recording import Recording
from utilities.history.records import Change, Record
from utilities.history.summary import SHORT, headline

LONGEST = 200
"""Lines a story may have; the middle of a longer one is left out, its ends tell the most."""
_SHORT = 20
"""Characters of a state that is worth repeating as the one that was left."""


def story(recording: Recording, about: Collection[str] = ()) -> str:
    """One line for each change of state, of everything or of the objects named in `about` (uids or `namespace/name`).

    Times are product seconds since the newest stamp among what existed at the start; `~` stands where an object has no
    stamp. Events about an object belong to it. Gaps are part of the story.
    """
    chosen = [record for record in recording.records if not about or _concerns(record, about)]
    listed = [r.product_time for r in recording.records if r.change is Change.LISTED and r.product_time is not None]
    stamps = [record.product_time for record in recording.records if record.product_time is not None]
    zero = max(listed) if listed else min(stamps, default=0.0)
    lines = [f"Story since {datetime.fromtimestamp(zero, UTC):%Y-%m-%dT%H:%M:%SZ}, in product seconds:"]
    lines += _shortened(_changes(chosen, zero))
    lines += [f"  GAP {gap}" for gap in recording.gaps]
    return "\n".join(lines)


def _concerns(record: Record, about: Collection[str]) -> bool:
    if record.kind == EVENT:
        subject = dig(record.object, "involvedObject") or {}
        return subject.get("uid") in about or f"{subject.get('namespace')}/{subject.get('name')}" in about
    return record.uid in about or record.key in about


def _changes(records: list[Record], zero: float) -> list[str]:
    """Lines of the records that changed a headline; Events that existed before are left out."""
    lines: list[str] = []
    known: dict[tuple[str, str], str] = {}
    for record in records:
        state = "gone" if record.gone else headline(record.kind, record.object) or "there"
        identity = (record.kind, record.uid)
        before = known.get(identity)
        known[identity] = state
        old_event = record.kind == EVENT and (record.gone or record.change is Change.LISTED)
        if state == before or old_event:
            continue
        at = "~" if record.product_time is None else f"{record.product_time - zero:+.1f}"
        short = before is not None and len(before) <= _SHORT and record.kind != EVENT
        what = f"{before} -> {state}" if short else state
        lines.append(f"  {at:>9}  {_name(record)}  {what}")
    return lines


def _name(record: Record) -> str:
    return EVENT if record.kind == EVENT else f"{SHORT.get(record.kind, record.kind)} {record.key}"


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) <= LONGEST:
        return lines or ["  nothing changed"]
    half = LONGEST // 2
    return [*lines[:half], f"  … {len(lines) - 2 * half} lines left out …", *lines[-half:]]
