"""Serving custom resources: established definitions put their kinds into the catalogue, removed ones take them out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.custom.conversions import Conversions
from lab.apiserver.custom.reading import Definition, resource_of, schema_of, served_versions, storage_version
from lab.apiserver.custom.schemas.defaults import defaulted
from lab.apiserver.custom.strategy import CustomStrategy
from lab.apiserver.resources import Convert, Resource


@dataclass(slots=True)
class Registry:
    """What is served of each definition, by definition name."""

    api: Api
    conversions: Conversions = field(default_factory=Conversions)
    _served: dict[str, tuple[Resource, ...]] = field(default_factory=dict)
    _states: dict[str, tuple[Any, bool]] = field(default_factory=dict)

    def served(self, name: str) -> tuple[Resource, ...]:
        """The kinds served for a definition, one per version."""
        return self._served.get(name, ())

    def serve(self, definition: Definition, *, closing: bool = False) -> None:
        """Serve the versions of an established definition as it is now. `closing`: nothing may be created any more."""
        name = definition["metadata"]["name"]
        state = ((definition["spec"], (definition.get("status") or {}).get("acceptedNames")), closing)
        if self._states.get(name) == state:
            return
        self._states[name] = state
        resources = []
        for version in served_versions(definition):
            resource = self._readable(self._converting(definition, resource_of(definition, version)))
            self.api.catalogue.add(resource)
            self.api.strategies.set(resource, CustomStrategy(schema_of(version), closing))
            resources.append(resource)
        self._drop(resource for resource in self.served(name) if resource not in resources)
        self._served[name] = tuple(resources)

    def withdraw(self, name: str) -> None:
        """Serve nothing of this definition any more, and end its watches."""
        self._drop(self._served.pop(name, ()))
        self._states.pop(name, None)

    def _drop(self, resources: Any) -> None:
        for resource in tuple(resources):
            current = self.api.catalogue.find(resource.group, resource.version, resource.plural)
            if current == resource:
                self.api.catalogue.remove(resource)
            self.api.watches.close(resource)

    def _converting(self, definition: Definition, resource: Resource) -> Resource:
        name = definition["metadata"]["name"]
        if not self.conversions.known(name):
            return resource
        storage = self.conversions.into(name, resource.group, storage_version(definition))
        shown = self.conversions.into(name, resource.group, resource.version)
        return replace(resource, to_storage=storage, from_storage=shown)

    def _readable(self, resource: Resource) -> Resource:
        """Defaults that came after some objects were stored are filled in when those are read."""
        schema = resource.schema or {}
        stored = (dict(snapshot.obj) for snapshot in self.api.store.scan(resource.key))
        if all(defaulted(schema, obj) == obj for obj in stored):
            return resource
        return replace(resource, from_storage=partial(_defaulting, resource.from_storage, schema))


def _defaulting(convert: Convert | None, schema: Any, obj: Any) -> dict[str, object]:
    shown: dict[str, object] = defaulted(schema, obj if convert is None else convert(obj))
    return shown
