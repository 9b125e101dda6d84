"""What happened: immutable records and pure questions about them. Imports no client library and does no I/O."""

from utilities.history.continuity import Beat, Continuity, GuestSnapshot, judge, parse_heartbeat
from utilities.history.devices import Holding
from utilities.history.events import EventSummary
from utilities.history.intervals import Interval, Moment, above, counts, peak
from utilities.history.machines import Condition
from utilities.history.migrations import Migration, Migrations, Phase
from utilities.history.objects import (
    EVENT,
    EVICTION,
    HYPERVISOR,
    POD,
    VM,
    VMI,
    VMIM,
    Obj,
    condition_of,
    dig,
    key_of,
    newest_stamp,
    seconds,
)
from utilities.history.recording import Recording, Step
from utilities.history.records import Change, Gap, Record
from utilities.history.summary import headline
from utilities.history.timeline import Timeline

__all__ = [
    "EVENT",
    "EVICTION",
    "HYPERVISOR",
    "POD",
    "VM",
    "VMI",
    "VMIM",
    "Beat",
    "Change",
    "Condition",
    "Continuity",
    "EventSummary",
    "Gap",
    "GuestSnapshot",
    "Holding",
    "Interval",
    "Migration",
    "Migrations",
    "Moment",
    "Obj",
    "Phase",
    "Record",
    "Recording",
    "Step",
    "Timeline",
    "above",
    "condition_of",
    "counts",
    "dig",
    "headline",
    "judge",
    "key_of",
    "newest_stamp",
    "parse_heartbeat",
    "peak",
    "seconds",
]
