"""Indexes for the selectors that clients and controllers really send, so that those lists do not scan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.fields import path_reader
from lab.apiserver.indexes import Extract
from lab.apiserver.selectors import label_index
from lab.apiserver.store import Store, StoreKey

_FIELDS: tuple[tuple[StoreKey, str], ...] = (
    (("", "pods"), "spec.nodeName"),
    (("", "events"), "involvedObject.name"),
)
_LABELS: tuple[tuple[StoreKey, str], ...] = (
    (("", "pods"), "kubevirt.io/created-by"),
    (("kubevirt.io", "virtualmachineinstances"), "kubevirt.io/nodeName"),
    (("kubevirt.io", "virtualmachineinstancemigrations"), "kubevirt.io/vmi-name"),
)


def keep_lookups(store: Store) -> None:
    """Let a store keep these indexes."""
    for key, field in _FIELDS:
        store.index(key, field, path_reader(field.split(".")))
    for key, label in _LABELS:
        store.index(key, label_index(label), _label(label))


def _label(name: str) -> Extract:
    def extract(obj: Mapping[str, Any]) -> str | None:
        value: str | None = (obj["metadata"].get("labels") or {}).get(name)
        return value

    return extract
