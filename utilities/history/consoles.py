"""The heartbeat on a serial console, read before a move and after it.

A line names the process besides its beat, because nothing else in the guest can be asked. The host keeps the log, so
that a move may cost lines: those of the source after the last look at it. They are told from missing beats by the
guest's own uptime.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from utilities.errors import NotEnoughEvidence
from utilities.history.continuity import Beat, Continuity, GuestSnapshot, Loss, judge

Heartbeat = tuple[GuestSnapshot, Beat]
"""Who beat, and the beat; its time is the guest's uptime in seconds."""
_LINE = re.compile(r"heartbeat (\d+) (\d+\.\d+) (\d+) (\d+) ([0-9a-f-]{36})\r?\n")


def heartbeats(text: str) -> tuple[Heartbeat, ...]:
    """The whole lines of the heartbeat in a console's text, between whatever else stands there."""
    return tuple(
        (GuestSnapshot(int(pid), int(ticks), boot), Beat(int(counter), float(up)))
        for counter, up, pid, ticks, boot in _LINE.findall(text)
    )


def judge_consoles(
    before: Sequence[Heartbeat], at_end: Sequence[Heartbeat], after: Sequence[Heartbeat], *, interval: float
) -> Continuity:
    """Compare what stood there before the move, at its end and some time after it. interval: seconds between two beats.

    The downtime is the longest that is possible: beats that are lost are taken for beats in time. Raises
    NotEnoughEvidence if nothing stood there before.
    """
    if not before:
        raise NotEnoughEvidence(
            "no heartbeat on the console before the move",
            next_step="look at the server's console: did user data reach it, by a config drive (openstack.config_drive "
            "in the site file) or a network with metadata, does its image run it, and is its console the serial one?",
        )
    if all(line in at_end or line in before for line in after):
        return Continuity(("no heartbeat came after the move",), float("inf"), before[-1][1].at, len(before))
    seen = dict.fromkeys((*at_end, *after))
    new = [line for line in seen if line not in before]
    loss = None if before[-1] in seen else Loss(len(before), interval)
    beats = [beat for _, beat in (*before, *new)]
    return judge(before[0][0], new[-1][0], beats, loss=loss)
