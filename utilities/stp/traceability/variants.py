"""Variants that a plan lists in words (IPv4/IPv6, block/file), and what tests name of them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from utilities.stp.traceability.claims import Claim

_FAMILIES = tuple(
    {name: re.compile(rf"(?<![a-z0-9])(?:{spellings})(?![a-z0-9])") for name, spellings in family.items()}
    for family in (
        {"IPv4": r"ip ?v ?4", "IPv6": r"ip ?v ?6", "dual stack": r"dual ?stack"},
        {"block": r"blocks?", "file": r"file ?systems?|files?"},
        {"RWO": r"rwo|read ?write ?once", "RWX": r"rwx|read ?write ?many", "ROX": r"rox|read ?only ?many"},
        {"TCP": r"tcp", "UDP": r"udp", "SCTP": r"sctp"},
        {"masquerade": r"masquerade", "bridge": r"(?:l2 ?)?bridge", "SR-IOV": r"sr ?iov"},
        {"BIOS": r"bios", "UEFI": r"u?efi"},
        {"Linux": r"linux|rhel|fedora|centos|ubuntu", "Windows": r"windows|win(?:10|11|20\d\d)"},
        {"Intel": r"intel", "AMD": r"amd"},
        {"amd64": r"amd64|x86 64", "arm64": r"arm64|aarch64", "s390x": r"s390x"},
    )
)
"""Members of one family are variants when a text lists them side by side; spellings in words of `_plain`."""
_SEPARATOR = re.compile(r"\s*|\W*(?:\w+\W+)?(?:[/,;&]|\band\b|\bor\b)\W*(?:\w+\W+)?")
"""What stands between two members of a list: blanks, or a sign, "and" or "or" with at most a word on either side."""
_WIDEST = 40
"""Characters between two members of a list."""


@dataclass(frozen=True, slots=True)
class Variants:
    """The members of one family that a text names, in the family's order."""

    named: tuple[str, ...]


def variants_in(text: str) -> tuple[Variants, ...]:
    """Every family of which the text lists two members or more."""
    plain = _plain(text)
    found = (_listed(plain, family) for family in _FAMILIES)
    return tuple(Variants(named) for named in found if named)


def _listed(plain: str, family: Mapping[str, re.Pattern[str]]) -> tuple[str, ...]:
    places = sorted(
        (match.start(), match.end(), name) for name, pattern in family.items() for match in pattern.finditer(plain)
    )
    listed: set[str] = set()
    for (_, end, one), (start, _, other) in pairwise(places):
        if one != other and start - end <= _WIDEST and _SEPARATOR.fullmatch(plain[end:start]):
            listed |= {one, other}
    return tuple(name for name in family if name in listed)


def missing_variants(asked: Variants, claims: Sequence[Claim]) -> tuple[str, ...]:
    """The variants that no claim names by id, parameter or description; none when some parameters are computed."""
    told: list[str] = []
    for claim in claims:
        if claim.parameters is None:
            return ()
        told += (claim.test_id, claim.description, *claim.parameters)
    covered = {name for name, pattern in _of(asked).items() if pattern.search(_plain(" ; ".join(told)))}
    return tuple(name for name in asked.named if name not in covered)


def merged(asked: Iterable[Variants]) -> tuple[Variants, ...]:
    """Each listing once."""
    return tuple(dict.fromkeys(asked))


def _of(asked: Variants) -> dict[str, re.Pattern[str]]:
    return next(family for family in _FAMILIES if asked.named[0] in family)


def _plain(text: str) -> str:
    """Lower case, `_` and `-` as blanks: `ip_family` and `dual-stack` read like prose."""
    return re.sub(r"[_-]+", " ", text.lower())
