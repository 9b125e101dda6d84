"""The forms a report is written in, by the name `--format` gives them."""

from collections.abc import Callable, Mapping

from utilities.stp.output.as_github import as_github
from utilities.stp.output.as_json import as_json
from utilities.stp.output.as_sarif import as_sarif
from utilities.stp.output.as_text import as_text
from utilities.stp.output.report import Report, Unreadable

__all__ = ["FORMATS", "Report", "Unreadable"]

FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
}
