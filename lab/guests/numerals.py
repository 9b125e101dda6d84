"""Numbers as people type them."""

import re

_WHOLE = re.compile(r"\s*[-+]?[0-9]{1,18}\s*")


def whole(text: str) -> int | None:
    """The whole number that a text is, None when it is none (or beyond 18 digits, which nothing here can hold)."""
    return int(text) if _WHOLE.fullmatch(text) else None
