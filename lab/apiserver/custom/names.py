"""Which names a CustomResourceDefinition gets: those no other one in its group has taken (sheet §5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lab.apiserver.admission import Object

_FIELDS = (
    ("plural", "PluralConflict"), ("singular", "SingularConflict"), ("shortNames", "ShortNamesConflict"),
    ("kind", "KindConflict"), ("listKind", "ListKindConflict"),
)  # fmt: skip
_KINDS = ("kind", "listKind")


def accepted(definition: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> tuple[Object, Object]:
    """The names a definition gets, and its condition NamesAccepted (without a time).

    A name that is taken is left as it was accepted before; of several conflicts the last is told. `others` are the
    definitions of the same group.
    """
    wanted: Mapping[str, Any] = definition["spec"]["names"]
    names: dict[str, Any] = dict((definition.get("status") or {}).get("acceptedNames") or {})
    taken = [set(_taken(other)) for other in others]
    resources = {name for claims in taken for kind, name in claims if not kind}
    kinds = {name for claims in taken for kind, name in claims if kind}
    problem: tuple[str, str] | None = None
    for field, reason in _FIELDS:
        values = _values(wanted, field)
        clash = next((value for value in values if value in (kinds if field in _KINDS else resources)), None)
        if clash is not None:
            problem = (reason, f'"{clash}" is already in use')
        elif field in wanted:
            names[field] = wanted[field]
    if "categories" in wanted:
        names["categories"] = wanted["categories"]
    reason, message = problem or ("NoConflicts", "no conflicts found")
    condition = {
        "type": "NamesAccepted",
        "status": "False" if problem else "True",
        "reason": reason,
        "message": message,
    }
    return names, condition


def _taken(definition: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    """Names that were accepted for a definition; True marks kinds, which live apart from resource names."""
    names: Mapping[str, Any] = (definition.get("status") or {}).get("acceptedNames") or {}
    for field, _ in _FIELDS:
        yield from ((field in _KINDS, value) for value in _values(names, field) if value)


def _values(names: Mapping[str, Any], field: str) -> list[str]:
    value = names.get(field)
    return list(value or ()) if field == "shortNames" else [value] if value else []
