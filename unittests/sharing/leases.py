"""A Lease in memory with a server's rules, and a clock that only moves when it is told."""

import copy
import json

from utilities.errors import Conflict, NotFound
from utilities.sharing.lock import ClusterLock, LeaseFile, Passing


class Memory:
    """Leases in memory with a server's rules: a write with a stale resourceVersion is refused."""

    def __init__(self):
        self.lease = None
        self.broken = None  # an error that every request raises
        self.before_write = []  # called once each, before the next writes
        self._version = 0

    def get(self, resource, name, namespace):
        """A copy, as over a wire."""
        if self.broken:
            raise self.broken
        if self.lease is None:
            raise NotFound("no such Lease", next_step="-", code=404)
        return copy.deepcopy(self.lease)

    def create(self, resource, body, namespace):
        """Refused when there is one."""
        self._meanwhile()
        if self.lease is not None:
            raise Conflict("exists", next_step="-", code=409)
        self._store(body)

    def call(self, method, path, *, body):
        """A conditional PUT or DELETE."""
        self._meanwhile()
        if self.lease is None:
            raise NotFound("no such Lease", next_step="-", code=404)
        given = body["preconditions"] if method == "DELETE" else body["metadata"]
        if given["resourceVersion"] != self.lease["metadata"]["resourceVersion"]:
            raise Conflict("stale", next_step="read again", code=409)
        if method == "DELETE":
            self.lease = None
        else:
            self._store(body)

    def _meanwhile(self):
        if self.before_write:
            self.before_write.pop()()
        if self.broken:
            raise self.broken

    def _store(self, body):
        self._version += 1
        self.lease = json.loads(json.dumps(body))
        self.lease["metadata"] |= {"resourceVersion": str(self._version), "uid": "u"}


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
    return ClusterLock(LeaseFile(memory, "lock", "default"), who, duration=60, passing=Passing(clock.now, clock.wait))
