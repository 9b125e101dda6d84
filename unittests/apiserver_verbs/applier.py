"""Applying as different managers."""

from dataclasses import replace
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CONFIG_MAP
from lab.apiserver.options import WriteOptions
from unittests.apiserver_verbs.kinds import WIDGET

LISTS = replace(
    WIDGET,
    schema={
        "properties": {
            "spec": {
                "properties": {
                    "keyed": {
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"],
                        "items": {"properties": {"name": {"type": "string"}}},
                    },
                    "set": {"x-kubernetes-list-type": "set"},
                    "whole": {"x-kubernetes-map-type": "atomic"},
                }
            }
        }
    },
)


def caller(manager: str) -> Caller:
    return Caller("u", manager=manager)


class Applier:
    """Applies and patches one object as different managers."""

    def __init__(self, api: Api, resource=CONFIG_MAP, name: str = "x") -> None:
        self.api = api
        self.resource = resource
        self.name = name
        self.namespace = "t" if resource.namespaced else ""

    def apply(self, manager: str, metadata: dict[str, Any] | None = None, *, force: bool = False, **body: Any) -> Any:
        config = {
            "apiVersion": self.resource.api_version,
            "kind": self.resource.kind,
            "metadata": metadata or {},
            **body,
        }
        return self.api.patch(
            self.resource, self.namespace, self.name, config, type="apply", caller=caller(manager),
            options=WriteOptions(force=force),
        )  # fmt: skip

    def merge(self, manager: str, **body: Any) -> Any:
        return self.api.patch(self.resource, self.namespace, self.name, body, caller=caller(manager))

    def owners(self) -> dict[tuple[str, str], Any]:
        obj = self.api.get(self.resource, self.namespace, self.name)
        entries = obj["metadata"].get("managedFields", [])
        return {(entry["manager"], entry["operation"]): entry["fieldsV1"] for entry in entries}
