"""Handwritten recordings of one slot and two Hypervisors."""

from utilities.cortex.blocking import Blocking
from utilities.history import Change, Record, Recording

GI = 2**30
CREATED = "2026-01-01T00:00:{:02}Z"


class Story:
    """Writes to one slot `s` of 16 Gi and the Hypervisors `src` and `dst`, in order."""

    def __init__(self):
        self.records, self.version = [], 0
        self.slot("src", "src", confirmed="src", change=Change.LISTED)
        self.lists("src", "vm", change=Change.LISTED)
        self.lists("dst", change=Change.LISTED)

    def slot(self, target, host, *, confirmed=None, expected=True, second=0, change=Change.MODIFIED):
        entry = {"vm": {"creationTimestamp": CREATED.format(0), "resources": {"memory": "16Gi"}}} if expected else {}
        part = {"allocations": entry}
        allocations = {"vm": confirmed} if confirmed else {}
        self._write("Reservation", "s", second, change, {
            "spec": {"targetHost": target, "resources": {"memory": "16Gi"}, "committedResourceReservation": part},
            "status": {"host": host, "committedResourceReservation": {"allocations": allocations}},
        })  # fmt: skip

    def lists(self, host, *vms, second=0, change=Change.MODIFIED):
        instances = [{"id": vm, "name": vm, "active": True} for vm in vms]
        self._write("Hypervisor", host, second, change, {"status": {"instances": instances}})

    def _write(self, kind, name, second, change, body):
        self.version += 1
        metadata = {"name": name, "uid": name, "resourceVersion": str(self.version)}
        written = {"metadata": {**metadata, "managedFields": [{"time": CREATED.format(second)}]}, **body}
        self.records.append(Record.of(change, kind, written, received=float(self.version)))

    def blocking(self, gaps=()):
        recording = Recording.of(self.records, watched=("Reservation", "Hypervisor"), gaps=gaps)
        return Blocking(recording, {"s"}, {"vm": 16 * GI})

    @classmethod
    def followed(cls):
        """The copy lasts from 10 s to 15 s, and the slot follows at 17 s."""
        story = cls()
        story.lists("dst", "vm", second=10)
        story.lists("src", second=15)
        story.slot("dst", "src", confirmed="src", second=17)
        story.slot("dst", "dst", confirmed="dst", second=17)
        return story
