"""What can be changed and taken back: patches and creations, as values that say what they would do."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from utilities.clients import Resource, Rest
from utilities.history import Obj
from utilities.reversible.inverse import touched
from utilities.reversible.undo import OWNER, Remove, Restore, Target, Undo, versioned

_NAME_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


@dataclass(frozen=True, slots=True)
class Step:
    """A change made ready: how to take it back, and how to make it. `make` returns the object as it is then."""

    undo: Undo
    make: Callable[[], Obj]


class Change(Protocol):
    """Something that can be made and taken back."""

    def describe(self) -> str:
        """What it would do to what, without asking the cluster."""
        ...

    def prepare(self, rest: Rest) -> Step:
        """Read what is needed to take it back. Changes nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Patch:
    """A merge patch. body: the patch, or a function of the present object that makes it. why: its purpose in words."""

    target: Target
    body: Mapping[str, Any] | Callable[[Obj], Mapping[str, Any]]
    why: str

    def describe(self) -> str:
        """E.g. `patch KubeVirt kubevirt/kubevirt: gate on, {"spec": …}`."""
        body = "" if callable(self.body) else f", {json.dumps(self.body)}"
        return f"patch {self.target}: {self.why}{body}"

    def prepare(self, rest: Rest) -> Step:
        """Raises NotFound if there is no such object."""
        target = self.target
        now = rest.get(target.resource, target.name, target.namespace)
        patch = self.body(now) if callable(self.body) else self.body
        undo = Restore(target, now["metadata"]["uid"], patch, touched(now, patch))
        return Step(undo, lambda: rest.patch(target.resource, target.name, versioned(patch, now), target.namespace))


def annotation(target: Target, name: str, value: str | None, why: str) -> Patch:
    """Set an annotation, or remove it (None)."""
    return Patch(target, {"metadata": {"annotations": {name: value}}}, why)


@dataclass(frozen=True, slots=True)
class Create:
    """A new object. Its name is chosen here if the body only has a generateName, so that it is known beforehand."""

    resource: Resource
    body: Mapping[str, Any]
    namespace: str | None = None
    why: str = "for the test"

    def describe(self) -> str:
        """E.g. `create VirtualMachine qa/vgpu-*: for the test`."""
        metadata = self.body["metadata"]
        name = metadata.get("name") or f"{metadata['generateName']}*"
        return f"create {Target(self.resource, name, self.namespace)}: {self.why}"

    def prepare(self, rest: Rest) -> Step:
        """Makes no request."""
        metadata = dict(self.body["metadata"])
        prefix = metadata.pop("generateName", "")
        name = metadata.get("name") or prefix + "".join(secrets.choice(_NAME_LETTERS) for _ in range(5))
        owner = secrets.token_hex(8)
        metadata |= {"name": name, "annotations": {**(metadata.get("annotations") or {}), OWNER: owner}}
        undo = Remove(Target(self.resource, name, self.namespace), owner)
        body = {**self.body, "metadata": metadata}
        return Step(undo, lambda: rest.create(self.resource, body, self.namespace))
