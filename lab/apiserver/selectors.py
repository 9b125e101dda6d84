"""What a list or a watch selects: labels and fields together (kubernetes-api sheet §3.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.fields import FieldRequirement, parse_fields
from lab.apiserver.labels import LabelRequirement, parse_labels
from lab.apiserver.resources import Resource


@dataclass(frozen=True, slots=True)
class Selector:
    """All requirements must be met; none: everything matches."""

    labels: tuple[LabelRequirement, ...] = ()
    fields: tuple[FieldRequirement, ...] = ()

    @property
    def empty(self) -> bool:
        """True when everything matches."""
        return not self.labels and not self.fields

    @property
    def name(self) -> str | None:
        """The one name that can match, None if the selector does not fix it."""
        for field in self.fields:
            if field.equal and field.field == "metadata.name":
                return field.value
        return None

    def values(self) -> dict[str, str]:
        """Values that are fixed, by index name: the field, or `label:` and the label key."""
        fixed = {field.field: field.value for field in self.fields if field.equal}
        for label in self.labels:
            if label.operator == "in" and len(label.values) == 1:
                (fixed[label_index(label.key)],) = label.values
        return fixed

    def matches(self, obj: Mapping[str, Any]) -> bool:
        """Whether an object, in its storage version, is selected."""
        if self.labels:
            found = obj["metadata"].get("labels") or {}
            if not all(label.matches(found) for label in self.labels):
                return False
        return all(field.matches(obj) for field in self.fields)


EVERYTHING = Selector()


def label_index(key: str) -> str:
    """Name of the store's index by a label."""
    return f"label:{key}"


def parse_selector(resource: Resource, labels: str = "", fields: str = "") -> Selector:
    """The selector of a query; raises 400 on bad syntax or a field this kind does not offer."""
    if not labels and not fields:
        return EVERYTHING
    return Selector(parse_labels(labels), parse_fields(resource, fields))
