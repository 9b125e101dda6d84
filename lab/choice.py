"""What lab is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.faults import Fault
from lab.profiles import Profile


class ChoiceError(Exception):
    """A choice that no lab can serve; the message says what could be chosen."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What lab to build.

    operator: program of the hypervisor operator instead of the profile's. without: systems left out for real ones.
    externals: systems whose process is a real binary that the lab runs. cortex_url: where a real Cortex answers.
    """

    profile: Profile
    faults: tuple[Fault, ...] = ()
    seed: int = 1
    time_scale: float = 100.0
    operator: str | None = None
    without: frozenset[str] = frozenset()
    externals: Mapping[str, Path] = field(default_factory=dict)
    cortex_url: str | None = None
