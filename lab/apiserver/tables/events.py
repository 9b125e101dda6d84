"""The cells of an Event in either of its two views (printers.go, printEvent)."""

from __future__ import annotations

from typing import Any

from lab.apiserver.tables.ages import age_since
from lab.apiserver.tables.reading import Object, at, number, text


def event_cells(event: Object, now: float) -> list[Any]:
    """Last Seen, Type, Reason, Object, Subobject, Source, Message, First Seen, Count, Name."""
    first = _either(event, "firstTimestamp", "deprecatedFirstTimestamp") or at(event, "eventTime")
    last = _either(event, "lastTimestamp", "deprecatedLastTimestamp") or first
    count = number(event, "count") or number(event, "deprecatedCount") or 1
    series = at(event, "series")
    if series is not None:
        last, count = at(series, "lastObservedTime"), number(series, "count")
    about = _either(event, "involvedObject", "regarding")
    return [
        age_since(last, now),
        text(event, "type"),
        text(event, "reason"),
        f"{text(about, 'kind').lower()}/{text(about, 'name')}",
        text(about, "fieldPath"),
        _source(event),
        str(_either(event, "message", "note") or "").strip(),
        age_since(first, now),
        count,
        text(event, "metadata", "name"),
    ]


def _either(event: Object, core: str, newer: str) -> Any:
    return event.get(core) or event.get(newer)


def _source(event: Object) -> str:
    source = _either(event, "source", "deprecatedSource")
    component = text(source, "component")
    if not component:
        component = str(_either(event, "reportingComponent", "reportingController") or "")
        instance = text(event, "reportingInstance")
        return f"{component}, {instance}" if instance else component
    host = text(source, "host")
    return f"{component}, {host}" if host else component
