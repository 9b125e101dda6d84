"""What a decision may do: small frozen effects, carried out through the API like any client's request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.errors import ApiError
from lab.apiserver.options import DeleteOptions
from lab.apiserver.resources import Resource


class Effect(Protocol):
    """Anything a decision may do."""

    def apply(self, api: Api, caller: Caller) -> None:
        """Do it, as `caller`."""


@dataclass(frozen=True, slots=True)
class Ref:
    """One object by kind, namespace ("" if cluster-scoped) and name."""

    resource: Resource
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Patch:
    """A merge patch of the object or of a subresource; `revision` makes it conditional."""

    ref: Ref
    body: Mapping[str, Any]
    subresource: str = ""
    revision: str = ""

    def apply(self, api: Api, caller: Caller) -> None:
        """Send it; 404 is no error (the object went meanwhile), 409 is the caller's to retry."""
        body = dict(self.body)
        if self.revision:
            body["metadata"] = {**body.get("metadata", {}), "resourceVersion": self.revision}
        try:
            api.patch(
                self.ref.resource, self.ref.namespace, self.ref.name, body, subresource=self.subresource, caller=caller
            )
        except ApiError as error:
            if error.code != 404:
                raise


@dataclass(frozen=True, slots=True)
class Create:
    """A new object."""

    resource: Resource
    obj: Mapping[str, Any]

    def apply(self, api: Api, caller: Caller) -> None:
        """Send it."""
        api.create(self.resource, self.obj, caller=caller)


@dataclass(frozen=True, slots=True)
class Delete:
    """A deletion; an object that is gone already is fine."""

    ref: Ref
    options: DeleteOptions = DeleteOptions()

    def apply(self, api: Api, caller: Caller) -> None:
        """Send it."""
        try:
            api.delete(self.ref.resource, self.ref.namespace, self.ref.name, options=self.options, caller=caller)
        except ApiError as error:
            if error.code != 404:
                raise


@dataclass(frozen=True, slots=True)
class Do:
    """Something outside the API, such as pausing a guest: `what` names it for the journal."""

    what: str
    action: Callable[[], object]

    def apply(self, api: Api, caller: Caller) -> None:  # noqa: ARG002  one shape for all effects
        """Do it."""
        self.action()


def perform(effects: Sequence[Effect], api: Api, caller: Caller) -> None:
    """Carry effects out in order; an ApiError stops the rest (the controller looks again)."""
    for effect in effects:
        effect.apply(api, caller)
