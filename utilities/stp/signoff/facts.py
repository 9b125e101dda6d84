"""What a run says about itself: the lines of its environment.properties."""

import re
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath

from utilities.stp.signoff.names import PLAN, TARGET, TARGET_KIND

_UNSAID = frozenset(("", "none", "unknown", "n/a", "-", "null"))
_REVISION = re.compile(r"(?P<path>[^\s,;=:]+\.md)[\s=:]+(?:sha256:)?(?P<digest>[0-9a-fA-F]{12,64})\b")
_PREFIX = re.compile(rf"{PLAN}(?:[._ ]*revisions?)?[._ ]+", re.IGNORECASE)
_LAB = re.compile(r"\blab\b", re.IGNORECASE)
_VERSION = re.compile(r"\d+\.\d+")


def folded(key: str) -> str:
    """A key as it is compared: `Plan.revisions`, `plan revisions` and `Plan_revisions` are the same."""
    return re.sub(r"[\s._-]+", " ", key).strip().lower()


@dataclass(frozen=True, slots=True)
class Facts:
    """Key and value as written, in order."""

    written: tuple[tuple[str, str], ...] = ()

    def get(self, *names: str) -> str:
        """The value of the first of these keys that says anything; "" when none does."""
        for name in names:
            for key, value in self.written:
                if folded(key) == folded(name) and value.strip().lower() not in _UNSAID:
                    return value.strip()
        return ""

    @property
    def on_lab(self) -> bool | None:
        """Whether the run was on the embedded lab; None when it does not say where it was."""
        kind, target = self.get(TARGET_KIND).lower(), self.get(TARGET)
        if kind:
            return kind != "cluster"
        return _LAB.search(target) is not None if target else None

    def version(self, *names: str) -> str:
        """The value of the first of these keys that holds a version; "" when none does."""
        return next((value for value in map(self.get, names) if _VERSION.search(value)), "")

    def revision_of(self, plan: PurePath) -> str | None:
        """The recorded SHA-256 (hex, perhaps shortened) of a plan file; None when the run names no such plan."""
        for key, value in self.written:
            if not folded(key).startswith(folded(PLAN)):
                continue
            for match in _REVISION.finditer(f"{_PREFIX.sub('', key)}={value}"):
                if _same_file(PurePosixPath(match["path"]), plan):
                    return match["digest"].lower()
        return None


def facts_in(text: str) -> Facts:
    """The facts in a text of `key=value` lines; comments and lines without `=` tell nothing."""
    written: list[tuple[str, str]] = []
    for line in text.splitlines():
        key, separator, value = line.partition("=")
        if separator and key.strip() and not key.lstrip().startswith(("#", "!")):
            written.append((key.strip(), value.strip()))
    return Facts(tuple(written))


def _same_file(one: PurePath, other: PurePath) -> bool:
    """Whether one path ends as the other does: they were written from different folders."""
    count = min(len(one.parts), len(other.parts))
    return one.parts[-count:] == other.parts[-count:]
