"""One open watch connection: lines in, events out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import orjson
import urllib3

from utilities.clients.translation import broken
from utilities.errors import Unreachable


class Following:
    """Events of one watch connection, `{"type": …, "object": …}` each. One thread reads; any thread may `cut` it."""

    def __init__(self, url: str, doing: str, answer: urllib3.BaseHTTPResponse) -> None:
        self._url = url
        self._doing = doing
        self._answer = answer
        self._chunks: Iterator[bytes] = answer.stream(65536)
        self._unfinished = b""
        self._cut = threading.Event()

    def read(self) -> list[dict[str, Any]] | None:
        """Wait for the next events, at least one; None when the watch is over: ended, cut, or silent for too long.

        Raises Unreachable when the connection broke.
        """
        while not self._cut.is_set():
            try:
                chunk = next(self._chunks, None)
            except urllib3.exceptions.ReadTimeoutError:
                break
            except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:  # a cut socket raises any of these
                if self._cut.is_set():
                    break
                raise self._broken(error) from error
            if chunk is None:
                break
            *lines, self._unfinished = (self._unfinished + chunk).split(b"\n")
            if events := [self._decoded(line) for line in lines if line]:
                return events
        return None

    def cut(self) -> None:
        """End a `read` that waits in another thread; it returns None."""
        self._cut.set()
        try:
            self._answer.shutdown()
        except (ValueError, RuntimeError, OSError):
            return  # the connection is over already

    def close(self) -> None:
        """Give up the connection."""
        self._answer.close()

    def _decoded(self, line: bytes) -> dict[str, Any]:
        try:
            return dict(orjson.loads(line))
        except (orjson.JSONDecodeError, TypeError, ValueError) as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> Unreachable:
        wrapped = error if isinstance(error, urllib3.exceptions.HTTPError) else urllib3.exceptions.HTTPError(str(error))
        found = broken(self._url, self._doing, wrapped)
        return found if isinstance(found, Unreachable) else Unreachable(found.what, next_step=found.next_step)
