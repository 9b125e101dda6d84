"""How a change is taken back. Plain data, complete before the change is made, good to run more than once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from utilities.clients import Resource
from utilities.errors import NotFound, UndoFailed
from utilities.history import dig
from utilities.reversible.inverse import inverse
from utilities.reversible.journal import Entry
from utilities.watching import Waits, Watched, rereading

OWNER = "migration-test-plans/owner"
"""Annotation on created objects: a random token, which tells ours from another one of the same name."""
RESTORE, REMOVE = "restore", "remove"
"""Kinds of entries in a journal."""


@dataclass(frozen=True, slots=True)
class Target:
    """One object, wherever it may come from."""

    resource: Resource
    name: str
    namespace: str | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Target:
        """The inverse of `asdict`."""
        return cls(Resource(**data["resource"]), data["name"], data["namespace"])

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.resource.kind} {where}{self.name}"


@dataclass(frozen=True, slots=True)
class Restore:
    """Give an object the values back that a merge patch replaced. uid: of the object that had them."""

    target: Target
    uid: str
    patch: Mapping[str, Any]
    before: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """A JSON object of plain values, for a process that may have to run it in our place."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Restore:
        """The inverse of `to_json`."""
        return cls(Target.from_json(data["target"]), data["uid"], data["patch"], data["before"])

    def entry(self) -> Entry:
        """For a journal."""
        what = f"{self.target}: {json.dumps(self.before)} where a test has set {json.dumps(self.patch)}"
        return Entry(RESTORE, self.to_json(), what)

    def run(self, waits: Waits, within: float) -> None:
        """Raises UndoFailed if the object has been replaced by another one, and the suite's API errors."""
        del within  # a patch is done when it is answered
        rereading()(self._attempt, waits)

    def _attempt(self, waits: Waits) -> None:
        target = self.target
        now = waits.rest.get(target.resource, target.name, target.namespace)
        if now["metadata"]["uid"] != self.uid:
            raise UndoFailed(
                f"{target} is another object than the one that was changed",
                next_step=f"check by hand that it has what it should have: {dict(self.before)}",
            )
        patch = versioned(inverse(self.before, self.patch, now), now)
        waits.rest.patch(target.resource, target.name, patch, target.namespace)


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete an object that was created with that owner token, and wait until it is gone."""

    target: Target
    owner: str

    def to_json(self) -> dict[str, Any]:
        """A JSON object of plain values, as that of a Restore."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Remove:
        """The inverse of `to_json`."""
        return cls(Target.from_json(data["target"]), data["owner"])

    def entry(self) -> Entry:
        """For a journal."""
        return Entry(REMOVE, self.to_json(), f"{self.target}: not there, if its annotation {OWNER} is {self.owner}")

    def run(self, waits: Waits, within: float) -> None:
        """within: product seconds for it to be gone. Raises WaitTimeout and the suite's API errors."""
        target = self.target
        try:
            now = waits.rest.get(target.resource, target.name, target.namespace)
            if dig(now, "metadata", "annotations", OWNER) != self.owner:
                return
            uid = now["metadata"]["uid"]
            waits.rest.delete(target.resource, target.name, target.namespace, uid=uid)
        except NotFound:
            return
        watched = Watched(target.resource, target.namespace, name=target.name)
        waits.wait_gone(watched, uid=uid, within=within, next_step="look at its finalizers and at what waits for it")


Undo = Restore | Remove


def versioned(patch: Mapping[str, Any], obj: Mapping[str, Any]) -> dict[str, Any]:
    """The patch, made to apply only to that state of the object: another writer in between is a Conflict."""
    metadata = {**(patch.get("metadata") or {}), "resourceVersion": obj["metadata"]["resourceVersion"]}
    return {**patch, "metadata": metadata}
