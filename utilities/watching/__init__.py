"""Watch-based waits and recorders. Retries of transient API errors live here and nowhere else."""

from utilities.watching.progress import Progress
from utilities.watching.recorder import Recorded, Recorder, recording
from utilities.watching.retries import is_transient, persistent, rereading
from utilities.watching.stream import Stream, Watched
from utilities.watching.waits import Goal, Losing, Waits, gone, lost_if_gone, never

__all__ = [
    "Goal",
    "Losing",
    "Progress",
    "Recorded",
    "Recorder",
    "Stream",
    "Waits",
    "Watched",
    "gone",
    "is_transient",
    "lost_if_gone",
    "never",
    "persistent",
    "recording",
    "rereading",
]
