"""Product versions in prose: which product, which version."""

import re

_PLATFORM = re.compile(
    r"\b(?:OCP(?!-?V)|OpenShift(?!\s+Virtuali[sz]ation)(?:\s+Container\s+Platform)?)\s*(?:versions?)?\s*[:=]?\s*"
    r"(?:v?(?P<version>\d+\.\d+(?:\.\d+)?)|(?P<na>N/A))",
    re.IGNORECASE,
)
_VIRTUALIZATION = re.compile(
    r"(?:\bOpenShift\s+Virtuali[sz]ation|\bCNV|\bOCP-?V)\s*(?:versions?)?\s*[:=]?\s*"
    r"(?:v?(?P<version>\d+\.\d+(?:\.\d+)?)|(?P<na>N/A))",
    re.IGNORECASE,
)
_PHASE = re.compile(
    r"\b(?P<phase>Dev(?:eloper)?[ -]Preview|DP|Tech(?:nology)?[ -]Preview|TP|General[ -]Availability|GA)\b"
    r"(?P<between>[^.;,\n]{0,25}?)\bv?(?P<version>\d+\.\d+)\b",
    re.IGNORECASE,
)
_MINOR = re.compile(r"v?(\d{1,4})\.(\d{1,4})")
OPEN_ENDED = re.compile(r"\b(?:and (?:up|later|above|newer)|or (?:later|newer|above)|onwards?)\b|\+|>=", re.IGNORECASE)


def platform_version(text: str) -> str | None:
    """The version of OCP in a text, "N/A" when it is said to have none, None when it is not given."""
    return _version(_PLATFORM.search(text))


def virtualization_version(text: str) -> str | None:
    """The version of OpenShift Virtualization (also CNV, OCP-V) in a text; "N/A" and None as above."""
    return _version(_VIRTUALIZATION.search(text))


def phase_versions(text: str) -> list[tuple[str, str]]:
    """("TP", "4.30") of every phase that a text gives a version."""
    return [(match["phase"][0].upper() + ("A" if match["phase"][0] in "gG" else "P"), match["version"])
            for match in _PHASE.finditer(text)]  # fmt: skip


def _version(match: re.Match[str] | None) -> str | None:
    if match is None:
        return None
    return match["version"] or "N/A"


def minor(version: str) -> tuple[int, int]:
    """(major, minor) at the start of a text such as `v4.30.1 - first cut`; (0, 0) when it starts with no version."""
    match = _MINOR.match(version)
    return (int(match[1]), int(match[2])) if match is not None else (0, 0)
