"""Microversions: how a request names one, and what replies say about it (openstack sheet §2, §9)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lab.openstack.refusals import RefusalError

HEADER, LEGACY = "OpenStack-API-Version", "X-OpenStack-Nova-API-Version"
Version = tuple[int, int]
_FORM = re.compile(r"([1-9]\d*)\.([1-9]\d*|0)")


@dataclass(frozen=True, slots=True)
class Versions:
    """The microversions of one service. `legacy`: whether the header of Nova's early days counts too."""

    service: str
    lowest: Version
    highest: Version
    legacy: bool = False

    def asked(self, headers: Mapping[str, str]) -> Version:
        """The version a request asks for, the lowest when it asks for none; refuses with 400 and 406."""
        text = self._text(headers)
        if text is None:
            return self.lowest
        if text == "latest":
            return self.highest
        found = _FORM.fullmatch(text)
        if found is None:
            raise RefusalError(
                400, f"API Version String {text} is of invalid format. Must be of format MajorNum.MinorNum."
            )
        version = (int(found[1]), int(found[2]))
        if not self.lowest <= version <= self.highest:
            raise RefusalError(406, self._unsupported(text))
        return version

    def headers(self, version: Version) -> dict[str, str]:
        """The headers of a reply."""
        shown = {HEADER: f"{self.service} {text_of(version)}", "Vary": HEADER}
        if self.legacy:
            shown |= {LEGACY: text_of(version), "Vary": f"{HEADER}, {LEGACY}"}
        return shown

    def shown(self, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers of a refusal: without a version when the request names none that is served."""
        try:
            return self.headers(self.asked(headers))
        except RefusalError:
            return {"Vary": f"{HEADER}, {LEGACY}" if self.legacy else HEADER}

    def _text(self, headers: Mapping[str, str]) -> str | None:
        """The last entry for this service in the header, else the legacy header."""
        found = None
        for entry in headers.get(HEADER, "").split(","):
            name, _, version = entry.strip().partition(" ")
            if name == self.service:
                found = version.strip()
        return found if found is not None or not self.legacy else headers.get(LEGACY)

    def _unsupported(self, text: str) -> str:
        lowest, highest = text_of(self.lowest), text_of(self.highest)
        if self.service == "placement":
            return f"Unacceptable version header: {text}"
        return f"Version {text} is not supported by the API. Minimum is {lowest} and maximum is {highest}."


def text_of(version: Version) -> str:
    """As in headers: `2.90`."""
    return f"{version[0]}.{version[1]}"


def parsed(text: str) -> Version:
    """A version that is known to be well formed."""
    major, _, minor = text.partition(".")
    return int(major), int(minor)
