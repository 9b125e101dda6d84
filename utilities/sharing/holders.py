"""Who holds the lock of a cluster, as one Lease tells it. Pure: every change is a new value, or None when it must wait.

One Lease carries everything, so that each change is one conditional write: the exclusive holder in the fields that
Kubernetes' own leader election uses, those who share it and those who wait in annotations. Who waits to have it alone
keeps new ones from sharing, or a busy cluster would never be anybody's alone. Who waits to share does so as soon as the
one who has it alone leaves, or a run that has it alone turn after turn would keep the others out to its end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from utilities.errors import SiteError
from utilities.history import Obj

SHARED = "migration-test-plans/shared"
WAITING = "migration-test-plans/waiting"
WAITING_TO_SHARE = "migration-test-plans/waiting-to-share"
NOTE = "migration-test-plans/undo"
"""How to take back a change that holders rely on."""
Stamps = Mapping[str, str]
"""By holder: when it last said that it is alive, in its own time. Only whether it changes means something."""


class Mode(StrEnum):
    """How a test uses what the whole cluster shares."""

    SHARED = "shared"
    EXCLUSIVE = "exclusive"


@dataclass(frozen=True, slots=True)
class Holders:
    """exclusive: who has the cluster alone, "" for nobody; renewed: its stamp. transitions: how often that changed.
    waiting: to have it alone, in that order; hoping: to share it.
    """

    exclusive: str = ""
    renewed: str = ""
    acquired: str = ""
    transitions: int = 0
    shared: Stamps = field(default_factory=dict)
    waiting: Stamps = field(default_factory=dict)
    hoping: Stamps = field(default_factory=dict)

    @classmethod
    def of(cls, lease: Obj) -> Holders:
        """Read them. Raises SiteError when the annotations are not ours."""
        spec = lease.get("spec") or {}
        holder = spec.get("holderIdentity") or ""
        return cls(
            exclusive=holder,
            renewed=(spec.get("renewTime") or "") if holder else "",
            acquired=(spec.get("acquireTime") or "") if holder else "",
            transitions=spec.get("leaseTransitions") or 0,
            shared=_stamps(lease, SHARED),
            waiting=_stamps(lease, WAITING),
            hoping=_stamps(lease, WAITING_TO_SHARE),
        )

    def written(self, lease: Obj, duration: int) -> dict[str, Any]:
        """The Lease with these holders. duration: seconds without a renewal after which a holder is gone."""
        metadata = dict(lease["metadata"])
        metadata["annotations"] = {
            **(metadata.get("annotations") or {}),
            SHARED: json.dumps(self.shared),
            WAITING: json.dumps(self.waiting),
            WAITING_TO_SHARE: json.dumps(self.hoping),
        }
        spec: dict[str, Any] = {"leaseDurationSeconds": duration, "leaseTransitions": self.transitions}
        if self.exclusive:
            spec |= {"holderIdentity": self.exclusive, "acquireTime": self.acquired, "renewTime": self.renewed}
        return {**lease, "metadata": metadata, "spec": spec}

    def stamps(self) -> Stamps:
        """Everybody who says that it is alive, in whatever role; those in several have the same stamp in each."""
        alone = {self.exclusive: self.renewed} if self.exclusive else {}
        return {**self.hoping, **self.waiting, **self.shared, **alone}

    def without(self, *gone: str) -> Holders:
        """Without these, in every role. When nobody has it alone any more, those who hoped for that share it."""
        shared, hoping = _without(self.shared, gone), _without(self.hoping, gone)
        waiting = _without(self.waiting, gone)
        if self.exclusive not in gone:
            return replace(self, shared=shared, waiting=waiting, hoping=hoping)
        return Holders(transitions=self.transitions, shared={**shared, **hoping}, waiting=waiting)

    def holds(self, who: str, mode: Mode) -> bool:
        """Whether somebody holds it in that way."""
        return self.exclusive == who if mode is Mode.EXCLUSIVE else who in self.shared

    def entered(self, who: str, mode: Mode, stamp: str) -> Holders | None:
        """With `who` holding it, too or alone; None when it has to wait."""
        if mode is Mode.SHARED:
            if self.exclusive or (self.waiting and who not in self.shared):
                return None
            return replace(self, shared={**self.shared, who: stamp}, hoping=_without(self.hoping, (who,)))
        if self.exclusive or self.shared or next(iter(self.waiting), who) != who:
            return None
        waiting = _without(self.waiting, (who,))
        return replace(
            self, exclusive=who, renewed=stamp, acquired=stamp, transitions=self.transitions + 1, waiting=waiting
        )

    def queued(self, who: str, mode: Mode, stamp: str) -> Holders:
        """With `who` waiting to hold it in that way; who came first to have it alone stays first."""
        if mode is Mode.SHARED:
            return replace(self, hoping={**self.hoping, who: stamp})
        return replace(self, waiting={**self.waiting, who: stamp})

    def renewed_by(self, who: str, stamp: str) -> Holders | None:
        """With a new stamp of `who` in each of its roles; None when it has none any more."""
        if who not in self.stamps():
            return None
        return replace(
            self,
            renewed=stamp if self.exclusive == who else self.renewed,
            shared={name: stamp if name == who else old for name, old in self.shared.items()},
            waiting={name: stamp if name == who else old for name, old in self.waiting.items()},
            hoping={name: stamp if name == who else old for name, old in self.hoping.items()},
        )


def _without(stamps: Stamps, gone: tuple[str, ...]) -> Stamps:
    return {name: stamp for name, stamp in stamps.items() if name not in gone}


def _stamps(lease: Obj, annotation: str) -> Stamps:
    text = (lease["metadata"].get("annotations") or {}).get(annotation) or "{}"
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(stamp, str) for stamp in found.values()):
        name = f"{lease['metadata'].get('namespace')}/{lease['metadata']['name']}"
        raise SiteError(
            f"Lease {name}: annotation {annotation} is not a JSON object of stamps: {text}",
            next_step="make sure that no run is going on, then delete the Lease; the next run makes a new one",
        )
    return found
