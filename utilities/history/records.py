"""What a recording consists of: records of single changes, and gaps in which changes may be missing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from utilities.history.objects import Obj, dig, key_of, newest_stamp


class Change(StrEnum):
    """How a state became known."""

    LISTED = "listed"
    """Existed when the recording began."""
    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RELISTED = "relisted"
    """New or changed in a gap: found by the list after it."""
    VANISHED = "vanished"
    """Gone in a gap: missing from the list after it; the object is the last known state."""


GONE = frozenset({Change.DELETED, Change.VANISHED})


@dataclass(frozen=True, slots=True)
class Record:
    """One state of one object.

    received: monotonic wall seconds at which the suite saw it. product_time: UNIX seconds on the cluster's clock of the
    newest stamp in the object, None if it has none. key: `namespace/name`, or `name` of a cluster-scoped object.
    """

    received: float
    product_time: float | None
    change: Change
    kind: str
    key: str
    resource_version: str
    object: Obj

    @classmethod
    def of(cls, change: Change, kind: str, obj: Obj, *, received: float, version: str | None = None) -> Record:
        """Record of an object as received; `version` if not the object's own resourceVersion."""
        return cls(
            received=received,
            product_time=newest_stamp(obj),
            change=change,
            kind=kind,
            key=key_of(obj),
            resource_version=version or str(dig(obj, "metadata", "resourceVersion")),
            object=obj,
        )

    @property
    def uid(self) -> str:
        """metadata.uid: tells an object from an earlier one of the same name."""
        return str(dig(self.object, "metadata", "uid"))

    @property
    def gone(self) -> bool:
        """Whether the object exists no more."""
        return self.change in GONE

    @property
    def order(self) -> int:
        """Position in the order of writes: resourceVersions of one cluster's store are numbers that only grow.

        Kubernetes promises this order within a kind (documented since 1.35); across kinds it holds as long as they
        share one store, which KubeVirt's kinds and pods do on every known installation.
        """
        return int(self.resource_version)


@dataclass(frozen=True, slots=True)
class Gap:
    """Changes of a kind between two resourceVersions that may be missing from the recording.

    after, until: orders (see Record.order) of the last state known before and of the list after it. since, healed:
    the same in monotonic wall seconds. until and healed are infinite when the recording never caught up.
    """

    kind: str
    after: float
    until: float
    since: float
    healed: float
    reason: str

    def __str__(self) -> str:
        until = "the end" if math.isinf(self.until) else f"resourceVersion {self.until:.0f}"
        return f"{self.kind} unobserved after resourceVersion {self.after:.0f} until {until}: {self.reason}"

    def touches(self, start: float, end: float) -> bool:
        """Whether a change between the two orders (inclusive) may be missing."""
        return self.after < end and start < self.until
