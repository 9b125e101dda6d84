"""Migration policies for one VM, and what they make of its memory (kubevirt sheet §5.2, §5.3)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from utilities.clients import MIGRATION_POLICIES
from utilities.kubevirt.actor import Actor
from utilities.reversible import Create

_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


@dataclass(frozen=True, slots=True)
class Policies:
    """Creates policies; each is deleted when its context ends. prefix: of their names."""

    actor: Actor
    prefix: str

    @contextmanager
    def matching(self, labels: Mapping[str, str], **settings: Any) -> Iterator[str]:
        """A policy for VMIs with these labels; yields its name."""
        selectors = {"virtualMachineInstanceSelector": dict(labels)}
        manifest = {"metadata": {"generateName": self.prefix}, "spec": {"selectors": selectors, **settings}}
        with self.actor.applied(Create(MIGRATION_POLICIES, manifest)) as policy:
            yield policy["metadata"]["name"]

    def change(self, name: str, **settings: Any) -> None:
        """Change settings of a policy that exists."""
        self.actor.rest.patch(MIGRATION_POLICIES, name, {"spec": settings})


def acceptable_seconds(memory: str, per_gigabyte: int) -> int:
    """Product seconds a copy may take: `per_gigabyte` for each decimal GB of guest memory, rounded up."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kMGT]i?|)", memory)
    if match is None:
        raise ValueError(f"not a quantity of bytes: {memory!r}")
    return per_gigabyte * math.ceil(float(match[1]) * _UNITS[match[2]] / 10**9)
