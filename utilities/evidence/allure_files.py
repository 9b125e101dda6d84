"""Files Allure reads beside the results: the environment, and the categories that sort failures by who must act."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

_ORDER = (  # name, statuses, message pattern; the first that matches counts
    ("Blocked: the site lacks something", ("broken", "skipped"), "(?s).*[Bb]locked.*"),
    ("Inconclusive: the recording has a gap", ("broken",), "(?s).*NotEnoughEvidence.*"),
    ("Site defect", ("broken",), "(?s).*(SiteError|Unreachable).*"),
    ("Product defect", ("failed",), None),
    ("Suite defect", ("broken",), None),
)
CATEGORIES = tuple(
    {"name": name, "matchedStatuses": list(statuses), **({"messageRegex": pattern} if pattern else {})}
    for name, statuses, pattern in _ORDER
)


def write_environment(folder: Path, facts: Mapping[str, str]) -> None:
    """`environment.properties`: one `key=value` a line, keys without blanks."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{name.replace(' ', '.')}={value}" for name, value in facts.items()]
    (folder / "environment.properties").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_categories(folder: Path) -> None:
    """`categories.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "categories.json").write_text(json.dumps(CATEGORIES, indent=1), encoding="utf-8")
