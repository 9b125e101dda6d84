"""Migrations as a user requests them: start, wait for a phase, abort by deleting (kubevirt sheet §4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from utilities.clients import VMIMS
from utilities.errors import ApiError
from utilities.evidence.steps import step
from utilities.history import Obj, dig
from utilities.kubevirt.actor import Actor
from utilities.watching import Watched

FINAL = ("Succeeded", "Failed")
HOSTNAME = "kubernetes.io/hostname"


@dataclass(frozen=True, slots=True)
class RequestedMigration:
    """One VirtualMachineInstanceMigration that exists on the cluster."""

    actor: Actor
    namespace: str
    name: str
    uid: str

    def wait_final(self) -> str:
        """Wait until it is Succeeded or Failed; returns which."""
        return self._wait(FINAL, ())

    def wait_phase(self, wanted: str) -> None:
        """Wait until it is in a phase; raises GoalLost when it ends instead."""
        self._wait((wanted,), tuple(phase for phase in FINAL if phase != wanted))

    def abort(self) -> None:
        """Delete it and wait until it is gone."""
        self.delete()
        self.wait_gone()

    def delete(self) -> None:
        """Ask for its end; returns at once."""
        with step("abort migration", migration=self.name):
            self.actor.rest.delete(VMIMS, self.name, self.namespace, uid=self.uid)

    def wait_gone(self) -> None:
        """Wait until it is gone."""
        within = self.actor.site.timeouts.deletion
        with step("wait until the migration is gone", migration=self.name):
            self.actor.waits.wait_gone(Watched(VMIMS, self.namespace, self.name), uid=self.uid, within=within)

    def _wait(self, wanted: tuple[str, ...], losing: tuple[str, ...]) -> str:
        def lost(migration: Obj | None) -> str | None:
            if migration is None:
                return "it was deleted"
            return f"it ended {_phase(migration)}" if _phase(migration) in losing else None

        with step(f"wait for phase {' or '.join(wanted)}", migration=self.name) as waiting:
            found = self.actor.waits.wait_for(
                Watched(VMIMS, self.namespace, self.name),
                lambda migration: migration is not None and _phase(migration) in wanted,
                expecting=" or ".join(wanted),
                within=self.actor.site.timeouts.migration,
                losing=lost,
            )
            waiting.note("phase", _phase(found or {}))
            waiting.took_since_creation(found)
        return _phase(found or {})


def _phase(migration: Obj) -> str:
    return str(dig(migration, "status", "phase") or "")


@dataclass(frozen=True, slots=True)
class MigrationsOf:
    """Migrations of one VM, requested as one user."""

    actor: Actor
    namespace: str
    vmi: str

    def start(self, *, to: str | None = None, annotations: Mapping[str, str] | None = None) -> RequestedMigration:
        """Request one, to a node if given. Raises ApiError when the product refuses, Forbidden when the API does."""
        spec: dict[str, Any] = {"vmiName": self.vmi}
        if to is not None:
            spec["addedNodeSelector"] = {HOSTNAME: to}
        metadata: dict[str, Any] = {"generateName": f"{self.vmi}-move-", "namespace": self.namespace}
        if annotations:
            metadata["annotations"] = dict(annotations)
        with step("request migration", answers=(ApiError,), vm=self.vmi, to=to, annotations=annotations) as requesting:
            created = self.actor.rest.create(VMIMS, {"metadata": metadata, "spec": spec}, self.namespace)
            requesting.note("migration", created["metadata"]["name"])
        identity = created["metadata"]
        return RequestedMigration(self.actor, self.namespace, identity["name"], identity["uid"])
