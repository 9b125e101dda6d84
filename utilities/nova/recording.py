"""Recording Nova while a test acts: a thread looks at a bounded pace, and at the end a lab's journal is read."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Event

from utilities.errors import NotEnoughEvidence, SuiteError
from utilities.evidence.steps import step
from utilities.history.nova import Blind, Journal, NovaRecording
from utilities.nova.nova import Nova
from utilities.nova.sampling import Sampler
from utilities.nova.server import Server
from utilities.watching import persistent

CATCH_UP_SECONDS = 60.0
"""Wall seconds for the cloud to answer the last look, before what it did not tell is declared unseen."""
BEFORE = 60.0
"""Product seconds of the journal before the oldest attempt that counts: the request comes before its record."""


class NovaRecorder:
    """Looks at hosts and servers until it is stopped. Start it before the action; stop it after."""

    def __init__(self, nova: Nova, hosts: Iterable[str], servers: Iterable[Server] = (), *, every: float) -> None:
        """every: wall seconds between two looks."""
        self._nova = nova
        self._sampler = Sampler(nova.servers, nova.migrations, hosts, (server.id for server in servers))
        self._every = every
        self._ending = Event()
        self._thread = threading.Thread(target=self._run, name="recording Nova", daemon=True)
        self._started = math.inf

    def start(self) -> None:
        """Return when everything has been seen once. Raises what keeps one from it."""
        persistent(Event())(self._sampler.first_look)
        self._started = self._sampler.seen
        self._thread.start()

    def stop(self) -> NovaRecording:
        """Look once more, so that everything up to now is seen; then read the journal."""
        self._ending.set()
        self._thread.join()
        try:
            persistent(Event(), patience=CATCH_UP_SECONDS)(self._sampler.first_look)
        except SuiteError:
            self._sampler.look()  # which remembers what could not be seen
        journal, lost = self._journal()
        return NovaRecording.of(
            self._sampler.records,
            self._sampler.samples,
            started=self._started,
            ended=journal.read if journal is not None else self._sampler.latest,
            journal=journal,
            blind=[*self._sampler.blind, *lost],
        )

    def _run(self) -> None:
        while not self._ending.wait(self._every):
            self._sampler.look()

    def _journal(self) -> tuple[Journal | None, list[Blind]]:
        if self._nova.journal is None:
            return None, []
        since = min(self._started, self._sampler.oldest_open) - BEFORE
        names = {sample.server: sample.name for sample in self._sampler.samples if sample.name}
        try:
            reply = persistent(Event(), patience=CATCH_UP_SECONDS)(
                self._nova.cloud.fetch, f"{self._nova.journal}?since={since:.3f}"
            )
        except SuiteError as error:
            return None, [Blind("journal", self._started, reason=error.what)]
        return Journal.of(reply.body, names), []


class NovaRecorded:
    """What a recording of Nova leaves behind, once it is closed."""

    def __init__(self) -> None:
        self._recording: NovaRecording | None = None

    @property
    def recording(self) -> NovaRecording:
        """The closed recording. Raises NotEnoughEvidence while it runs."""
        if self._recording is None:
            raise NotEnoughEvidence(
                "the recording is still running: what has not been seen yet may still be on its way",
                next_step="leave the 'with nova_recording(...)' block first, then ask",
            )
        return self._recording

    def close(self, recording: NovaRecording) -> None:
        """Hand over the result."""
        self._recording = recording


@contextmanager
def nova_recording(
    nova: Nova, *hosts: str, servers: Iterable[Server] = (), every: float | None = None
) -> Iterator[NovaRecorded]:
    """Record migrations out of and into hosts, and the states of servers, while the block runs.

    servers: looked at wherever they are; those that are on a host, or come to it, are looked at anyway. every: wall
    seconds between two looks. Read it before the servers are deleted: their records go with them. When the block
    fails, the recording is there all the same, as evidence.
    """
    recorder = NovaRecorder(nova, hosts, servers, every=every or nova.polls.every)
    recorded = NovaRecorded()
    with step("record Nova", hosts=hosts) as taking:
        recorder.start()
        try:
            yield recorded
        finally:
            recording = recorder.stop()
            recorded.close(recording)
            taking.note("readings of records", len(recording.records))
            taking.note("samples of servers", len(recording.samples))
            taking.note(
                "times", "exact, by the lab's journal" if recording.journal else "to 1 s, by records and samples"
            )
            taking.note("unseen", [str(blind) for blind in recording.blind] or None)
