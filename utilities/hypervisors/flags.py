"""The operator's concurrency flags in the arguments of its container (operator sheet §2.6). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

CONCURRENCY, BY_TRAIT = "eviction-concurrency", "eviction-trait-concurrency"


@dataclass(frozen=True, slots=True)
class Flags:
    """How many migrations may be in flight out of one hypervisor: the default, and lower limits by trait."""

    concurrency: int = 1
    by_trait: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, arguments: Sequence[str]) -> Self:
        """As a program with these arguments understands them; without the flags one at a time."""
        values = _values(arguments)
        entries = (entry.partition("=") for entry in values.get(BY_TRAIT, "").split(",") if entry.strip())
        by_trait = {trait.strip(): int(number) for trait, _, number in entries}
        return cls(int(values.get(CONCURRENCY, "1"), 0), by_trait)

    @property
    def arguments(self) -> tuple[str, ...]:
        """As arguments of the program; a flag that would say its default is left out."""
        entries = ",".join(f"{trait}={number}" for trait, number in sorted(self.by_trait.items()))
        return (
            *((f"--{CONCURRENCY}={self.concurrency}",) if self.concurrency != 1 else ()),
            *((f"--{BY_TRAIT}={entries}",) if entries else ()),
        )

    def limit(self, traits: Iterable[str]) -> int:
        """The limit of a hypervisor with these traits: the lowest that applies, at least 1."""
        return max(1, min([self.concurrency, *(self.by_trait[trait] for trait in traits if trait in self.by_trait)]))

    def __str__(self) -> str:
        return " ".join(self.arguments) or "no concurrency flags"


def replaced(arguments: Sequence[str], wanted: Iterable[str]) -> list[str]:
    """Arguments with others in place of the concurrency flags."""
    kept: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, _ = word.lstrip("-").partition("=")
        if word.startswith("-") and name in (CONCURRENCY, BY_TRAIT):
            rest = rest[0 if equals else 1 :]
        else:
            kept.append(word)
    return [*kept, *wanted]


def _values(arguments: Sequence[str]) -> dict[str, str]:
    """Values of the two flags, given as one word or as two, with one dash or two; the last one counts."""
    found: dict[str, str] = {}
    for position, word in enumerate(arguments):
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and name in (CONCURRENCY, BY_TRAIT):
            following = arguments[position + 1] if position + 1 < len(arguments) else ""
            found[name] = value if equals else following
    return found
