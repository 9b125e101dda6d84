"""Recording what happens while a test acts: one thread a watch, from before the action until all has been seen."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from utilities.clients import Rest
from utilities.errors import NotEnoughEvidence, SiteError, SuiteError
from utilities.evidence.steps import step
from utilities.history import Gap, Record, Timeline, dig
from utilities.watching.stream import Stream, Watched

READY_SECONDS = 60.0
"""Wall seconds for every watch to be established before a recording counts as failed."""
CATCH_UP_SECONDS = 60.0
"""Wall seconds for the watches to deliver what a list already shows, before the rest is declared a gap."""
SETTLE_SECONDS = 0.1
"""Wall seconds in which servers may prove by themselves that nothing is under way, before they are asked to.

A list shows what exists; an object that was created and deleted again within the delivery time of its events leaves no
trace in it. An event or bookmark at or past the list's version proves that there is none.
"""


class Follower(threading.Thread):
    """One stream, read by its own thread. Everything it shares is guarded by `changed`."""

    def __init__(self, watched: Watched, stream: Stream, changed: threading.Condition) -> None:
        super().__init__(name=f"watch {watched}", daemon=True)
        self.watched = watched
        self.error: SuiteError | None = None
        self.finished = False
        self._stream = stream
        self._changed = changed
        self._records: list[Record] = []
        self._gaps: list[Gap] = []
        self._latest: dict[str, float] = {}
        self._position = 0  # of the stream, when its records had been kept
        self._final: _Final | None = None

    @property
    def ready(self) -> bool:
        """Whether changes from now on will be recorded."""
        return self._stream.established.is_set()

    def run(self) -> None:
        """Read until closed or until the server is lost."""
        try:
            while not self._stream.closed:
                batch = self._stream.advance()
                with self._changed:
                    self._keep(batch)
                    self._changed.notify_all()
        except SuiteError as error:
            self.error = error
        finally:
            self._stream.release()
            with self._changed:
                self.finished = True
                self._changed.notify_all()

    def _keep(self, batch: Sequence[Record | Gap]) -> None:
        self._position = self._stream.position
        for item in batch:
            if isinstance(item, Gap):
                self._gaps.append(item)
            else:
                self._records.append(item)
                self._latest[item.uid] = math.inf if item.gone else item.order

    def set_goal(self, patience: float) -> None:
        """List what there is now: having seen all of it is what `caught_up` means. patience: as for a stream."""
        with self._changed:
            alive = {uid for uid, order in self._latest.items() if order < math.inf}
        found = self._stream.snapshot(patience)
        listed = {
            str(dig(obj, "metadata", "uid")): int(dig(obj, "metadata", "resourceVersion")) for obj in found["items"]
        }
        self._final = _Final(
            version=int(found["metadata"]["resourceVersion"]),
            orders=listed | dict.fromkeys(alive - listed.keys(), math.inf),
        )

    @property
    def caught_up(self) -> bool:
        """Whether all that is listed, and every deletion that the list implies, has been seen, and nothing is under way
        of what came and went before it."""
        if self._final is None or self._position < self._final.version:
            return False
        return all(self._latest.get(uid, -1) >= order for uid, order in self._final.orders.items())

    def ask(self) -> None:
        """Let the server prove it, unless it has."""
        with self._changed:
            needed = not self.caught_up
        if needed:
            self._stream.ask()

    def end(self, reason: str) -> tuple[list[Record], list[Gap]]:
        """What was recorded; with a gap up to the end for that reason, unless it has caught up."""
        self._stream.close()
        with self._changed:
            gaps = list(self._gaps)
            if self.error or not self.caught_up:
                last = self._records[-1].received if self._records else -math.inf
                text = self.error.what if self.error else reason
                gaps.append(Gap(self.watched.resource.kind, self._position, math.inf, last, math.inf, text))
            return list(self._records), gaps


@dataclass(frozen=True, slots=True)
class _Final:
    """orders: what must have been seen of each object, by uid; infinite for one that is gone."""

    version: int
    orders: dict[str, float]


class Recorder:
    """Follows several watches at once. Start it before the action; stop it after; then ask the timeline.

    settle, catch_up: wall seconds, see the constants.
    """

    def __init__(
        self,
        rest: Rest,
        watches: Sequence[Watched],
        *,
        settle: float = SETTLE_SECONDS,
        catch_up: float = CATCH_UP_SECONDS,
        stream: Callable[[Rest, Watched], Stream] = Stream,
    ) -> None:
        self._changed = threading.Condition()
        self._followers = [Follower(watched, stream(rest, watched), self._changed) for watched in watches]
        self._settle, self._catch_up = settle, catch_up
        self._started = 0.0

    def start(self) -> None:
        """Return when every watch has its initial list and follows it. Raises what keeps one from it."""
        for follower in self._followers:
            follower.start()
        with self._changed:
            self._changed.wait_for(
                lambda: all(f.ready for f in self._followers) or any(f.finished for f in self._followers), READY_SECONDS
            )
        late = [follower for follower in self._followers if not follower.ready]
        if late:
            for follower in self._followers:
                follower.end("")
            raise next((f.error for f in late if f.error), None) or SiteError(
                f"the watch of {late[0].watched} was not established within {READY_SECONDS:g} s",
                next_step="look at the state and the load of the API server, then run again",
            )
        self._started = time.monotonic()

    def stop(self) -> Timeline:
        """Catch up with the present, then close. A watch that cannot is blind from its last state on: a gap."""
        deadline = time.monotonic() + self._catch_up

        def caught_up() -> bool:
            return all(follower.caught_up or follower.error for follower in self._followers)

        for follower in self._followers:
            try:
                follower.set_goal(max(0.0, deadline - time.monotonic()))
            except SuiteError as error:
                follower.error = follower.error or error
        with self._changed:
            left = max(0.0, deadline - time.monotonic())
            self._changed.wait_for(caught_up, min(self._settle, left))
        for follower in self._followers:
            follower.ask()
        with self._changed:
            self._changed.wait_for(caught_up, max(0.0, deadline - time.monotonic()))
        ended = time.monotonic()
        ends = [follower.end(f"not caught up within {self._catch_up:g} s") for follower in self._followers]
        for follower in self._followers:
            follower.join(timeout=self._catch_up)
        return Timeline.of(
            [record for records, _ in ends for record in records],
            gaps=[gap for _, gaps in ends for gap in gaps],
            watched={follower.watched.resource.kind for follower in self._followers},
            started=self._started,
            ended=ended,
        )


class Recorded:
    """What a recording leaves behind: its timeline, once it is closed."""

    def __init__(self) -> None:
        self._timeline: Timeline | None = None

    @property
    def timeline(self) -> Timeline:
        """The closed timeline. Raises NotEnoughEvidence while the recording runs."""
        if self._timeline is None:
            raise NotEnoughEvidence(
                "the recording is still running: what has not been seen yet may still be on its way",
                next_step="leave the 'with recording(...)' block first, then ask",
            )
        return self._timeline

    def close(self, timeline: Timeline) -> None:
        """Hand over the result."""
        self._timeline = timeline


@contextmanager
def recording(
    rest: Rest, watches: Sequence[Watched], *, settle: float = SETTLE_SECONDS, catch_up: float = CATCH_UP_SECONDS
) -> Iterator[Recorded]:
    """Record while the block runs. When the block fails, the timeline is there all the same, as evidence."""
    recorder = Recorder(rest, watches, settle=settle, catch_up=catch_up)
    recorded = Recorded()
    kinds = {watched.resource.kind for watched in watches}
    with step("record", kinds=kinds, namespace={watched.namespace or "all" for watched in watches}) as taking:
        recorder.start()
        try:
            yield recorded
        finally:
            timeline = recorder.stop()
            recorded.close(timeline)
            taking.note("records", len(timeline.records))
            taking.note("gaps", len(timeline.gaps))
