"""What was in flight on a cloud, from the best sources there are: a lab's journal, else records and samples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping

from utilities.history.in_flight.judging import InFlight
from utilities.history.nova import exact, recorded
from utilities.history.nova.recording import NovaRecording
from utilities.history.nova.tolerance import Tolerance

_SHORT = 8  # characters of a uuid that people compare


def in_flight(recording: NovaRecording, tolerance: Tolerance | None = None) -> InFlight:
    """Every migration that may have been in flight during the recording, live or cold; subjects are server uuids.

    With a journal all times are exact. tolerance: of a cloud without one.
    """
    labels = labels_of(recording)
    if recording.journal is not None:
        found = exact.flights(recording.journal, labels)
    else:
        found = recorded.flights(recording.records, recording.samples, labels, tolerance or Tolerance())
    within = (f for f in found if f.possible[1] > recording.started and f.possible[0] < recording.ended)
    return InFlight.of(within, _doubts(recording))


def labels_of(recording: NovaRecording) -> Mapping[str, str]:
    """Servers by what people call them: name and the beginning of the uuid."""
    names = recording.names
    servers = {s.server for s in recording.samples} | {r.server for r in recording.records} | names.keys()
    if recording.journal is not None:
        servers |= {history.server for history in recording.journal.servers}
    twice = {name for name, times in Counter(names.values()).items() if times > 1}
    found: dict[str, str] = {}
    for server in servers:
        name = names.get(server, server)
        found[server] = f"{name} ({server[:_SHORT]})" if name in twice else name
    return found


def _doubts(recording: NovaRecording) -> Iterator[str]:
    """Why a migration may be missing."""
    if recording.journal is not None:
        if recording.journal.read < recording.ended:
            late = recording.ended - recording.journal.read
            yield f"the journal was read {late:.1f} s before the recording ended"
        return
    alive: dict[str, float] = {}
    gone: dict[str, tuple[float, float]] = {}
    for sample in recording.samples:
        if not sample.gone:
            alive[sample.server] = sample.sent
        elif sample.server not in gone:
            gone[sample.server] = (alive.get(sample.server, recording.started), sample.received)
    for blind in recording.blind:
        if blind.what != "migrations":
            continue
        if math.isinf(blind.until):
            yield str(blind)
        lost = [server for server, (last, first) in gone.items() if blind.since <= first and last <= blind.until]
        if lost:
            yield f"{blind}; records went with {len(lost)} server(s) deleted meanwhile"
