"""What a write has to say beside the object it returns."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Reply:
    """Filled in by a write that is given one: texts for `Warning: 299 - "..."` headers, and 201 instead of 200."""

    warnings: list[str] = field(default_factory=list)
    created: bool = False
