"""A Lease in memory with a server's rules, and a clock that only moves when it is told."""

import copy
import json

from utilities.errors import Conflict
from utilities.sharing.lock import ClusterLock, Passing


class Memory:
    """One Lease; a write with a stale resourceVersion is refused."""

    def __init__(self):
        self.lease = {"metadata": {"name": "lock", "namespace": "default", "resourceVersion": "1"}, "spec": {}}
        self.broken = None  # an error that every request raises
        self.before_write = []  # called once each, before the next writes

    def read(self):
        """A copy, as over a wire."""
        if self.broken:
            raise self.broken
        return copy.deepcopy(self.lease)

    def replace(self, lease):
        """Conditional, as a server does it."""
        if self.before_write:
            self.before_write.pop()()
        if self.broken:
            raise self.broken
        if lease["metadata"]["resourceVersion"] != self.lease["metadata"]["resourceVersion"]:
            raise Conflict("stale", next_step="read again", code=409)
        version = str(int(lease["metadata"]["resourceVersion"]) + 1)
        self.lease = json.loads(json.dumps(lease))
        self.lease["metadata"]["resourceVersion"] = version

    def __str__(self):
        return "Lease default/lock"


class Hands:
    """A monotonic clock moved by hand; waiting moves it, and may let something happen."""

    def __init__(self):
        self.time = 1000.0
        self.meanwhile = lambda: None

    def now(self):
        """Seconds."""
        return self.time

    def wait(self, seconds):
        """Let them pass."""
        self.time += seconds
        self.meanwhile()


def lock(memory, who, clock):
    """One holder's side."""
    return ClusterLock(memory, who, duration=60, passing=Passing(clock.now, clock.wait))
