"""A process in a server's guest that beats on the serial console, listened to before something is done and after.

Needs no login, and no network where user data comes on a config drive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import resources

from utilities.errors import ApiError, Blocked, NotEnoughEvidence, WaitTimeout
from utilities.evidence.sink import Sink
from utilities.evidence.steps import step
from utilities.history import Continuity
from utilities.history.consoles import Heartbeat, heartbeats, judge_consoles
from utilities.nova.server import Server
from utilities.nova.servers import Servers
from utilities.nova.templates import Template

INTERVAL = 1.0
"""Seconds of the guest between two beats, usually."""
_NOT_READY = 409
_BEATS = 3  # so that "goes on" is more than the last word before it stopped
_BOOT, _PATIENCE = 300.0, 60.0  # product seconds for them: while the guest boots, and later


def beating(template: Template) -> Template:
    """The same with a guest that beats from its boot on."""
    script = resources.files("utilities.nova").joinpath("heartbeat.sh").read_text(encoding="utf-8")
    return replace(template, user_data=script)


@dataclass(slots=True, repr=False)
class Heard:
    """What was heard of one guest; complete once its context has ended. mute: why nothing can be heard."""

    server: Server
    before: tuple[Heartbeat, ...] = ()
    at_end: tuple[Heartbeat, ...] = ()
    after: tuple[Heartbeat, ...] | None = None
    console: str = ""
    mute: Blocked | None = None

    def __repr__(self) -> str:
        """Short: it stands in messages of assertions, beside the story."""
        return f"<what was heard of {self.server.name}>"

    @property
    def continuity(self) -> Continuity:
        """Whether the process went on. Raises Blocked where there is no console, NotEnoughEvidence without beats."""
        if self.mute is not None:
            raise self.mute
        if self.after is None:
            raise NotEnoughEvidence("nobody listened afterwards", next_step="read why what was to be done failed")
        return judge_consoles(self.before, self.at_end, self.after, interval=INTERVAL)

    def story(self) -> str:
        """What differs, and the end of the console: the message of a failed assertion."""
        problems = self.continuity.problems or ("nothing differs from before",)
        return "\n".join([f"{self.server.name}: {problem}" for problem in problems] + self.console.splitlines()[-10:])

    def attach_to(self, sink: Sink, *, failed: bool) -> None:
        """Leave the downtime with the test; when it failed, also the console."""
        if self.mute is None and self.after and self.before:
            downtime = f"at most {self.continuity.downtime:.1f} s (beats every {INTERVAL:g} s)"
            sink.figure(f"guest-observed downtime of {self.server.name}", downtime)
        if failed:
            sink.text(f"console of {self.server.name}", self.console)


@contextmanager
def heard(servers: Servers, server: Server) -> Iterator[Heard]:
    """Listen before the block and after it. What cannot be heard is noted, for the test that asks."""
    found = Heard(server)
    found.before = _listen(servers, found, (), _BOOT)
    yield found
    found.at_end = () if found.mute is not None else heartbeats(_read(servers, server))
    found.after = _listen(servers, found, (*found.before, *found.at_end), _PATIENCE)


def _listen(servers: Servers, found: Heard, known: Sequence[Heartbeat], within: float) -> tuple[Heartbeat, ...]:
    """Every beat that can be read once some are new; those there are when no new ones come."""
    if found.mute is not None:
        return ()

    def look() -> tuple[Heartbeat, ...]:
        found.console = _read(servers, found.server)
        return heartbeats(found.console)

    def new(beats: Sequence[Heartbeat]) -> int:
        return sum(beat not in known for beat in beats)

    with step("listen to the guest", answers=(WaitTimeout, Blocked), server=found.server.name) as listening:
        try:
            beats = servers.polls.wait_for(
                look,
                lambda beats: new(beats) >= _BEATS,
                subject=f"console of {found.server.name}",
                expecting=f"{_BEATS} beats",
                within=within,
                describe=lambda beats: f"{new(beats)} new beats",
            )
        except WaitTimeout:
            beats = heartbeats(found.console)
        except Blocked as mute:
            found.mute, beats = mute, ()
        listening.note("beats", len(beats))
    return beats


def _read(servers: Servers, server: Server) -> str:
    """Nothing, while the guest is off or not yet there."""
    try:
        return servers.console(server)
    except ApiError as error:
        if error.code == _NOT_READY:
            return ""
        raise
