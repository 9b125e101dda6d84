"""When another attempt is worth it, and when it is not. Retries of API errors live in this package and nowhere else."""

from __future__ import annotations

import logging
from threading import Event

import tenacity
from tenacity.wait import wait_base

from utilities.errors import ApiError, Conflict, Unreachable

PATIENCE = 60.0
"""Wall seconds for which a server may fail before we believe it."""
BACKOFF = tenacity.wait_exponential_jitter(multiplier=0.05, max=5, jitter=0.05)

_TRANSIENT_CODES = frozenset({429, 500, 502, 503, 504})
_LOGGER = logging.getLogger(__name__)


def is_transient(error: BaseException) -> bool:
    """Whether the same request may well succeed a little later: nobody answered, or the server is overloaded."""
    return isinstance(error, Unreachable) or (isinstance(error, ApiError) and error.code in _TRANSIENT_CODES)


def persistent(stop: Event, *, patience: float = PATIENCE, backoff: wait_base = BACKOFF) -> tenacity.Retrying:
    """Repeat through transient errors until `patience` wall seconds have passed or `stop` is set."""
    return tenacity.Retrying(
        retry=tenacity.retry_if_exception(is_transient),
        wait=backoff,
        stop=tenacity.stop_any(tenacity.stop_after_delay(patience), tenacity.stop_when_event_set(stop)),
        sleep=tenacity.sleep_using_event(stop),
        before_sleep=tenacity.before_sleep_log(_LOGGER, logging.INFO),
        reraise=True,
    )


def rereading(attempts: int = 10) -> tenacity.Retrying:
    """Repeat a read-change-write that lost against another writer: the callable must read again each time."""
    return tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(Conflict),
        wait=tenacity.wait_random(0, 0.2),
        stop=tenacity.stop_after_attempt(attempts),
        reraise=True,
    )
