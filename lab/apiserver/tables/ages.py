"""Ages as the server renders them: `12s`, `3m5s`, `4h`, `2d3h` (sheet §3.6, Go's HumanDuration)."""

from __future__ import annotations

from lab.clock import parse_timestamp

UNKNOWN = "<unknown>"
INVALID = "<invalid>"


def age_since(stamp: object, now: float) -> str:
    """Age of a timestamp at product time `now`; `<unknown>` when unset, `<invalid>` when it is none."""
    if not stamp:
        return UNKNOWN
    try:
        return human(now - parse_timestamp(str(stamp)))
    except ValueError:
        return INVALID


def human(seconds: float) -> str:
    """A duration, short: two units at most, the minor one dropped when it is zero."""
    if seconds < -1:
        return INVALID
    total = max(0, int(seconds))
    minutes, hours, days = total // 60, total // 3600, total // 86400
    if total < 120:
        return f"{total}s"
    if minutes < 10:
        return _two(minutes, "m", total % 60, "s")
    if hours < 3:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    if days < 365 * 2:
        return f"{days}d"
    if days < 365 * 8:
        return _two(days // 365, "y", days % 365, "d")
    return f"{days // 365}y"


def _two(major: int, unit: str, minor: int, minor_unit: str) -> str:
    return f"{major}{unit}{minor}{minor_unit}" if minor else f"{major}{unit}"
