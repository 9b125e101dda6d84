"""Keys that controllers of KubeVirt index objects by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Json = Mapping[str, Any]


def by_vmi(migration: Json) -> Iterable[str]:
    """`namespace/name` of the VMI that a VMIM moves."""
    return (vmi_key(migration["metadata"].get("namespace", ""), (migration.get("spec") or {}).get("vmiName", "")),)


def vmi_key(namespace: str, name: str) -> str:
    """The key under which `by_vmi` files migrations of this VMI."""
    return f"{namespace}/{name}"
