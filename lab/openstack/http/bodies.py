"""Checks of bodies and queries, with the messages of Nova's JSON schemas (openstack sheet §4)."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from lab.openstack.refusals import RefusalError


def invalid(where: str, value: object, why: str) -> RefusalError:
    """400: a value that the schema does not allow."""
    return RefusalError(400, f"Invalid input for field/attribute {where}. Value: {value}. {why}")


def fields(value: object, where: str, required: Iterable[str] = (), optional: Iterable[str] = ()) -> dict[str, Any]:
    """An object with these keys and no others; refuses with 400."""
    if not isinstance(value, dict):
        raise invalid(where, value, f"{value!r} is not of type 'object'")
    missing = [key for key in required if key not in value]
    if missing:
        raise invalid(where, value, f"{missing[0]!r} is a required property")
    extra = sorted(set(value) - set(required) - set(optional))
    if extra:
        listed = ", ".join(repr(key) for key in extra)
        verb = "was" if len(extra) == 1 else "were"
        raise invalid(where, value, f"Additional properties are not allowed ({listed} {verb} unexpected)")
    return value


def text(value: object, where: str, longest: int = 255) -> str:
    """A text that is not empty."""
    if not isinstance(value, str):
        raise invalid(where, value, f"{value!r} is not of type 'string'")
    if not 0 < len(value) <= longest:
        raise invalid(where, value, f"{value!r} is too {'short' if not value else 'long'}")
    return value


def boolean(value: object, where: str) -> bool:
    """A boolean, or one of the words that Nova takes for one."""
    words = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}
    found = value if isinstance(value, bool) else words.get(str(value).lower())
    if found is None:
        raise invalid(where, value, f"{value!r} is not of type 'boolean'")
    return found


def true(value: str | None) -> bool:
    """A boolean of a query."""
    return value is not None and value.lower() in ("1", "t", "true", "on", "y", "yes")


def known_keys(query: Mapping[str, str], known: Iterable[str]) -> None:
    """Refuse other keys of a query, as newer microversions do."""
    extra = sorted(set(query) - set(known))
    if extra:
        listed = ", ".join(repr(key) for key in extra)
        verb = "was" if len(extra) == 1 else "were"
        raise RefusalError(
            400,
            f"Invalid input for query parameters None. Value: {dict(query)}. "
            f"Additional properties are not allowed ({listed} {verb} unexpected)",
        )


def is_uuid(value: str) -> bool:
    """Whether it is one, with or without dashes."""
    try:
        uuid.UUID(value)
    except ValueError:
        return False
    return True
