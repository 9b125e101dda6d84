"""Reading untyped objects: nested values without a chain of checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Object = Mapping[str, Any]
NONE = "<none>"


def at(obj: Any, *path: str) -> Any:
    """The value at a path of keys, None when anything on the way is missing."""
    for key in path:
        if not isinstance(obj, Mapping):
            return None
        obj = obj.get(key)
    return obj


def number(obj: Any, *path: str) -> int:
    """An integer at a path, 0 when it is missing."""
    value = at(obj, *path)
    return value if isinstance(value, int) else 0


def text(obj: Any, *path: str) -> str:
    """A string at a path, "" when it is missing."""
    value = at(obj, *path)
    return "" if value is None else str(value)


def listed(obj: Any, *path: str) -> list[Any]:
    """A list at a path, [] when it is missing."""
    value = at(obj, *path)
    return value if isinstance(value, list) else []


def joined(values: Iterable[object], otherwise: str = NONE) -> str:
    """Values with commas between, `<none>` when there are none."""
    return ",".join(str(value) for value in values) or otherwise


def condition(obj: Any, type_: str) -> Object | None:
    """The status condition of a type."""
    return next((entry for entry in listed(obj, "status", "conditions") if entry.get("type") == type_), None)


def selector_text(selector: Any) -> str:
    """A label selector as kubectl prints it: `a=b,c in (d,e)`."""
    parts = [f"{key}={value}" for key, value in sorted((at(selector, "matchLabels") or {}).items())]
    for entry in listed(selector, "matchExpressions"):
        key, operator = text(entry, "key"), text(entry, "operator")
        values = ",".join(sorted(map(str, listed(entry, "values"))))
        forms = {"Exists": key, "DoesNotExist": f"!{key}", "In": f"{key} in ({values})"}
        parts.append(forms.get(operator, f"{key} notin ({values})"))
    return joined(parts)
