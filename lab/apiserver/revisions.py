"""resourceVersion as an option of lists and watches, and what is said when it makes no sense (sheet §3.1, §3.2)."""

from __future__ import annotations

from lab.apiserver.causes import forbidden_value, invalid_value, quoted
from lab.apiserver.errors import ApiError, Cause, bad_request, invalid
from lab.apiserver.resources import Resource

LIST_OPTIONS = Resource("meta.k8s.io", "v1", "listoptions", "ListOptions", namespaced=False)
NOT_OLDER_THAN = "NotOlderThan"
EXACT = "Exact"


def refused(cause: Cause) -> ApiError:
    """422 about one field of ListOptions."""
    return invalid(LIST_OPTIONS, "", [cause])


def match_forbidden(why: str) -> ApiError:
    """422: resourceVersionMatch does not go with the rest of the query."""
    return refused(forbidden_value("resourceVersionMatch", f"resourceVersionMatch is forbidden {why}"))


def number(revision: str) -> int:
    """A resourceVersion as a number, 0 when absent; raises 400."""
    if not revision:
        return 0
    if not (revision.isascii() and revision.isdecimal()):
        raise bad_request(f"resourceVersion: Invalid value: {quoted(revision)}: {_syntax(revision)}")
    return int(revision)


def watch_number(revision: str) -> int:
    """As `number`; a watch answers 422."""
    try:
        return number(revision)
    except ApiError as error:
        raise refused(invalid_value("resourceVersion", revision, _syntax(revision))) from error


def not_reached(revision: int, current: int) -> ApiError:
    """504: the resourceVersion lies in the future."""
    details = {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
    message = f"Timeout: Too large resource version: {revision}, current: {current}"
    return ApiError(504, "Timeout", message, details)


def expired(revision: int, oldest: int) -> ApiError:
    """410: the resourceVersion is older than the retained changes."""
    return ApiError(410, "Expired", f"too old resource version: {revision} ({oldest})")


def _syntax(revision: str) -> str:
    return f"strconv.ParseUint: parsing {quoted(revision)}: invalid syntax"
