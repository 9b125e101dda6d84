"""Events about an object, occurrences added up however the cluster's recorder folded them together."""

from __future__ import annotations

from dataclasses import dataclass

from utilities.history.objects import EVENT, Obj, dig, seconds
from utilities.history.recording import Recording
from utilities.history.records import Change, Record


@dataclass(frozen=True, slots=True)
class EventSummary:
    """One thing said about an object, `count` times since the recording began.

    first, last: product time (UNIX seconds) of the first and the last occurrence the events tell of; None: not told.
    """

    type: str
    reason: str
    message: str
    component: str
    count: int
    first: float | None
    last: float | None


def events(
    recording: Recording, about: str, *, kind: str | None = None, reason: str | None = None, of_type: str | None = None
) -> tuple[EventSummary, ...]:
    """What was said about an object (uid, or `namespace/name` with its `kind`), in the order it was first said.

    of_type: `Normal` or `Warning`. Occurrences before the recording are not counted: of an Event that existed when it
    began only what was added since. Raises NotEnoughEvidence if Events may have been missed.
    """
    by_event: dict[str, list[Record]] = {}
    for record in recording.of_kind(EVENT):
        if _is_about(record.object, about, kind):
            by_event.setdefault(record.uid, []).append(record)
    recording.require_whole(EVENT)
    said: dict[tuple[str, str, str, str], EventSummary] = {}
    for records in by_event.values():
        summary = _summary(records)
        if summary.count and reason in (None, summary.reason) and of_type in (None, summary.type):
            what = (summary.type, summary.reason, summary.message, summary.component)
            said[what] = _joined(said[what], summary) if what in said else summary
    return tuple(said.values())


def _is_about(event: Obj, about: str, kind: str | None) -> bool:
    subject = dig(event, "involvedObject") or {}
    if kind not in (None, subject.get("kind")):
        return False
    namespace, name = subject.get("namespace"), subject.get("name")
    return about in (subject.get("uid"), f"{namespace}/{name}" if namespace else name)


def _summary(records: list[Record]) -> EventSummary:
    """Of the records of one Event object: the recorder raises its count instead of writing another."""
    last = max(records, key=lambda record: _count(record.object)).object
    known = max((_count(r.object) for r in records if r.change is Change.LISTED), default=0)
    times = [last.get("firstTimestamp"), last.get("eventTime"), last.get("lastTimestamp")]
    times.append(dig(last, "series", "lastObservedTime"))
    stamps = [seconds(stamp) for stamp in times if stamp]
    return EventSummary(
        type=last.get("type") or "",
        reason=last.get("reason") or "",
        message=last.get("message") or "",
        component=dig(last, "source", "component") or last.get("reportingComponent") or "",
        count=_count(last) - known,
        first=min(stamps, default=None),
        last=max(stamps, default=None),
    )


def _count(event: Obj) -> int:
    """Occurrences: `series.count` in the new form, `count` in the old one, absent for a single one."""
    return int(dig(event, "series", "count") or event.get("count") or 1)


def _joined(one: EventSummary, other: EventSummary) -> EventSummary:
    return EventSummary(
        one.type,
        one.reason,
        one.message,
        one.component,
        one.count + other.count,
        min((t for t in (one.first, other.first) if t is not None), default=None),
        max((t for t in (one.last, other.last) if t is not None), default=None),
    )
