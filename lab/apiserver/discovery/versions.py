"""Groups and their versions, in the order of preference real servers use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

Groups = Mapping[str, tuple[str, ...]]  # group -> versions, preferred first
_VERSION = re.compile(r"^v(\d+)(?:(alpha|beta)(\d+))?$")
_STAGES = {"": 2, "beta": 1, "alpha": 0}


def order(version: str) -> tuple[int, int, int, str]:
    """Sort key, best first: stable before beta before alpha, higher numbers first, anything else last."""
    match = _VERSION.match(version)
    if match is None:
        return (1, 0, 0, version)
    major, stage, minor = match.groups()
    return (0, -_STAGES[stage or ""], -int(major) * 1000 - int(minor or 0), version)


def grouped(group_versions: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Versions by group; groups keep their first appearance, versions are ordered by preference."""
    found: dict[str, set[str]] = {}
    for group, version in group_versions:
        found.setdefault(group, set()).add(version)
    return {group: tuple(sorted(versions, key=order)) for group, versions in found.items()}
