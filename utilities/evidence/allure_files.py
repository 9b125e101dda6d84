"""Files Allure reads beside the results: the environment, and the categories that sort failures by who must act."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ENVIRONMENT = "environment.properties"
CATEGORIES_FILE = "categories.json"

_ORDER = (  # name, statuses, error whose name the message starts with; the first that matches counts
    ("Blocked: the site lacks something", ("broken", "skipped"), "Blocked"),
    ("Inconclusive: the evidence has a gap", ("broken",), "NotEnoughEvidence"),
    ("Site: wrong, unreachable or refusing", ("broken",), "SiteError|Unreachable|UndoFailed"),
    ("Product defect: an expectation is not met", ("failed",), None),
    ("Product defect: an awaited state is not reached", ("broken",), "WaitTimeout|GoalLost|GuestError"),
    ("Suite defect: the test itself broke", ("broken",), None),
)


def categories() -> list[dict[str, Any]]:
    """The rules, in the order in which they are tried.

    A message is `module.Error: text`. The patterns are read by Java, where they must match all of it, and by
    JavaScript, which knows no inline flags: hence `[\\s\\S]` on the far side.
    """
    return [
        {
            "name": name,
            "matchedStatuses": list(statuses),
            **({"messageRegex": rf"^([\w.]+\.)?({errors})\b[\s\S]*"} if errors else {}),
        }
        for name, statuses, errors in _ORDER
    ]


def write_categories(folder: Path) -> None:
    """`categories.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CATEGORIES_FILE).write_text(json.dumps(categories(), indent=1), encoding="utf-8")


def write_environment(folder: Path, facts: Mapping[str, str]) -> None:
    """`environment.properties`: what was tested on what, one fact a line, in the order given.

    A properties file ends a key at the first blank, `:` or `=`, so dots stand for them in keys.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{_key(name)}={_value(value)}\n" for name, value in facts.items()]
    (folder / ENVIRONMENT).write_text("".join(lines), encoding="utf-8")


def _key(text: str) -> str:
    return re.sub(r"[\s:=]+", ".", text.strip())


def _value(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\")
