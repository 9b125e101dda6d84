"""Instance actions and their events: what was asked of a server, and what came of it (openstack sheet §5)."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Event:
    """One step of an action. `result`: Success or Error, None while it runs; `host` "" for the conductor's."""

    name: str
    start: float
    host: str = ""
    finish: float | None = None
    result: str | None = None
    details: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """One action; events in the order in which they started."""

    name: str
    server_id: str
    request_id: str
    user_id: str
    project_id: str
    start: float
    updated: float
    message: str | None = None
    events: tuple[Event, ...] = ()

    def begun(self, name: str, now: float, host: str) -> Action:
        """With one more event that runs."""
        return replace(self, updated=now, events=(*self.events, Event(name, now, host)))

    def ended(self, name: str, now: float, host: str, error: str | None) -> Action:
        """With that event ended; one that never began is begun first. `error`: its text, None for success."""
        if not any(event.name == name and event.finish is None for event in self.events):
            return self.begun(name, now, host).ended(name, now, host, error)
        events = list(self.events)
        index = max(i for i, event in enumerate(events) if event.name == name and event.finish is None)
        result = "Success" if error is None else "Error"
        events[index] = replace(events[index], finish=now, result=result, details=error)
        message = self.message if error is None else "Error"
        return replace(self, updated=now, message=message, events=tuple(events))
