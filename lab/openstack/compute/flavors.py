"""Flavors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Flavor:
    """A flavor; `number` is its row in the database, which migration records show."""

    number: int
    id: str
    name: str
    vcpus: int
    ram: int  # MiB
    disk: int  # GiB
    extra_specs: Mapping[str, str] = field(default_factory=dict)
