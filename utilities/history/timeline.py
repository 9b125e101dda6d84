"""The closed recording that tests ask. Each question is answered by a module of its own; this is the list of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from utilities.history import devices, events, machines, migrations, story
from utilities.history.devices import Holding
from utilities.history.events import EventSummary
from utilities.history.migrations import Migration, Migrations
from utilities.history.recording import Recording, Step


@dataclass(frozen=True, slots=True)
class Timeline(Recording):
    """Questions about what happened. Objects are named by uid or by `namespace/name`.

    Every question raises NotEnoughEvidence, which is *inconclusive*, when the recording has a gap where the answer
    would be, or when the kind it needs was not recorded.
    """

    def migrations(self, *, vmi: str | None = None, source: str | None = None) -> Migrations:
        """Migrations of one VMI (`namespace/name`), out of one node, or all."""
        return migrations.migrations(self, vmi=vmi, source=source)

    def migration(self, about: str) -> Migration:
        """One migration with its phases, modes, nodes and outcome."""
        return migrations.migration(self, about)

    def nodes(self, vmi: str) -> tuple[str | None, ...]:
        """Nodes a VMI was on, in order."""
        return values(machines.nodes(self, vmi))

    def identities(self, vmi: str) -> tuple[str, ...]:
        """Uids that existed under a VMI's name; a live migration keeps the one."""
        return machines.identities(self, vmi)

    def statuses(self, vm: str) -> tuple[str | None, ...]:
        """printableStatus of a VM, in order, without repetitions."""
        return values(machines.statuses(self, vm))

    def conditions(self, kind: str, about: str, condition: str) -> tuple[Step, ...]:
        """A condition over time: values are `machines.Condition`, None while absent."""
        return machines.conditions(self, kind, about, condition)

    def events(
        self, about: str, *, kind: str | None = None, reason: str | None = None, of_type: str | None = None
    ) -> tuple[EventSummary, ...]:
        """What was said about an object since the recording began."""
        return events.events(self, about, kind=kind, reason=reason, of_type=of_type)

    def holdings(self, resource: str, *, vmi: str | None = None) -> tuple[Holding, ...]:
        """Pods that held an extended resource; of one VMI if its uid is given."""
        return devices.holdings(self, resource, vmi=vmi)

    def devices_in_use(self, resource: str, *, vmi: str | None = None, at: float = math.inf) -> Mapping[str, int]:
        """Devices in use by node at an order of writes, or at the end."""
        return devices.devices_in_use(self, resource, vmi=vmi, at=at)

    def device_nodes(self, resource: str, *, vmi: str) -> tuple[Mapping[str, int], ...]:
        """Devices in use by node for one VMI (uid), each time that changed."""
        return devices.device_nodes(self, resource, vmi=vmi)

    def story(self, *about: str | Migration | Migrations) -> str:
        """Who changed to what and when: of everything, or of the objects and migrations named, with their VMIs."""
        return story.story(self, _names(about))


def values(steps: tuple[Step, ...]) -> tuple[str | None, ...]:
    """The bare values of steps."""
    return tuple(step.value for step in steps)


def _names(about: Collection[str | Migration | Migrations]) -> frozenset[str]:
    found: set[str] = set()
    for item in about:
        if isinstance(item, str):
            found.add(item)
        else:
            for migration in (item,) if isinstance(item, Migration) else item:
                found |= {migration.uid, migration.vmi}
    return frozenset(found)
