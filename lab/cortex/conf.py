"""What `/etc/config/conf.json` sets for the scheduler (cortex sheet §9), by default as the chart does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lab.cortex.scheduling.revisions import LATEST

_LABELS = MappingProxyType({"github_org": "cobaltcore-dev", "github_repo": "cortex", "component": "nova-scheduling"})


@dataclass(frozen=True, slots=True)
class Conf:
    """limited: `novaLimitHostsToRequest`; shuffled: `evacuationShuffleK`; labels: `monitoring.labels`.

    revision: of the program (sheet, revisions), which no file sets.
    tracking: `committedResourceTracking`, read at the root of the file. The chart has it off; the lab has commitments.
    """

    revision: str = LATEST
    limited: bool = True
    shuffled: int = 3
    tracking: bool = True
    labels: Mapping[str, str] = field(default_factory=lambda: _LABELS)
