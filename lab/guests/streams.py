"""Open files of a process: pipes, regular files, devices, and the ends that lead out of the guest."""

import errno
import os
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Self

from lab.guests.content import Filler
from lab.guests.errors import NotSimulatedError
from lab.guests.files import Device, File
from lab.guests.limits import MAX_TEXT
from lab.guests.signals import SIGPIPE


class Terminated(BaseException):
    """The running process is ended by the signal it provoked or sent to itself; unwinds like GeneratorExit."""

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.signal = signal


class Handle:
    """An open file description, shared by reference count between descriptors and processes."""

    __slots__ = ("_references",)

    def __init__(self) -> None:
        self._references = 1

    def retain(self) -> Self:
        """One more descriptor refers to this."""
        self._references += 1
        return self

    def release(self) -> None:
        """One descriptor less; the last one closes."""
        self._references -= 1
        if self._references == 0:
            self.closed()

    def closed(self) -> None:
        """Called when the last descriptor is gone."""

    def write(self, _data: bytes, /) -> None:
        """Write all of the bytes. Raises OSError(EBADF) on a handle open for reading only."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def read(self, _limit: int, /) -> bytes | None:
        """Up to that many bytes, b"" at the end, None when there is nothing yet (wait for `Readable`)."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def unread(self, _data: bytes, /) -> None:
        """Give back what was read beyond the end of a line."""
        raise OSError(errno.ESPIPE, os.strerror(errno.ESPIPE))

    def park(self, _wake: Callable[[], None], /) -> bool:
        """Call back when there is something to read; False: there is already."""
        return False


@dataclass(frozen=True, slots=True)
class Readable:
    """What a process yields to wait until the handle has data or has come to its end."""

    handle: Handle


class Pipe:
    """Bytes on their way between processes, or from an SSH client into one."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.broken = False
        self._ended = False
        self._waiting: list[Callable[[], None]] = []
        self.reader = PipeReader(self)
        self.writer = PipeWriter(self)

    def feed(self, data: bytes) -> None:
        """Add bytes and wake the readers."""
        self.buffer += data
        self._wake_all()

    def end(self) -> None:
        """No more bytes will come."""
        self._ended = True
        self._wake_all()

    def take(self, limit: int) -> bytes | None:
        """Remove up to `limit` bytes; b"" at the end, None when there is nothing yet."""
        if self.buffer:
            data = bytes(self.buffer[:limit])
            del self.buffer[:limit]
            return data
        return b"" if self._ended else None

    def park(self, wake: Callable[[], None]) -> bool:
        """Remember a reader that found nothing."""
        if self.buffer or self._ended:
            return False
        self._waiting.append(wake)
        return True

    def _wake_all(self) -> None:
        waiting, self._waiting = self._waiting, []
        for wake in waiting:
            wake()


class PipeReader(Handle):
    """The end to read from; once closed, writing to the other end kills the writer."""

    __slots__ = ("_pipe",)

    def __init__(self, pipe: Pipe) -> None:
        super().__init__()
        self._pipe = pipe

    def closed(self) -> None:
        self._pipe.broken = True

    def read(self, limit: int) -> bytes | None:
        return self._pipe.take(limit)

    def unread(self, data: bytes) -> None:
        self._pipe.buffer[:0] = data

    def park(self, wake: Callable[[], None]) -> bool:
        return self._pipe.park(wake)


class PipeWriter(Handle):
    """The end to write to; closing it is the end of file of the other."""

    __slots__ = ("_pipe",)

    def __init__(self, pipe: Pipe) -> None:
        super().__init__()
        self._pipe = pipe

    def closed(self) -> None:
        self._pipe.end()

    def write(self, data: bytes) -> None:
        if self._pipe.broken:
            raise Terminated(SIGPIPE)
        self._pipe.feed(data)


class Outlet(Handle):
    """A way out of the guest: what is written goes to `emit`, and `on_close` learns that no process can write more."""

    __slots__ = ("_emit", "_on_close", "broken")

    def __init__(self, emit: Callable[[bytes], None], on_close: Callable[[], None]) -> None:
        super().__init__()
        self._emit = emit
        self._on_close = on_close
        self.broken = False

    def write(self, data: bytes) -> None:
        if self.broken:
            raise Terminated(SIGPIPE)
        self._emit(data)

    def closed(self) -> None:
        self._on_close()


class Capture(Handle):
    """Collects what is written, for a command substitution; `complete` when nobody can write more."""

    __slots__ = ("_waiting", "complete", "data")

    def __init__(self) -> None:
        super().__init__()
        self.data = bytearray()
        self.complete = False
        self._waiting: Callable[[], None] | None = None

    def closed(self) -> None:
        self.complete = True
        if self._waiting is not None:
            self._waiting()

    def park(self, wake: Callable[[], None]) -> bool:
        self._waiting = wake
        return not self.complete

    def write(self, data: bytes) -> None:
        self.data += data
        if len(self.data) > MAX_TEXT:
            raise NotSimulatedError(f"a substitution of more than {MAX_TEXT >> 20} MiB")


class Text(Handle):
    """A here-document."""

    __slots__ = ("_data", "_offset")

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._data = data
        self._offset = 0

    def read(self, limit: int) -> bytes:
        data = self._data[self._offset : self._offset + limit]
        self._offset += len(data)
        return data

    def unread(self, data: bytes) -> None:
        self._offset -= len(data)


class OpenFile(Handle):
    """A regular file with its offset."""

    __slots__ = ("_append", "_mode", "_now", "file", "offset")

    def __init__(self, file: File, mode: str, *, append: bool, now: Callable[[], float]) -> None:
        super().__init__()
        self.file = file
        self.offset = 0
        self._mode = mode
        self._append = append
        self._now = now

    def write(self, data: bytes | Filler) -> None:
        if "w" not in self._mode:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        if self._append:
            self.offset = self.file.content.size
        self.file.write(self.offset, data)
        self.offset += data.length if isinstance(data, Filler) else len(data)
        self.file.modified = self._now()

    def read(self, limit: int) -> bytes:
        if "r" not in self._mode:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        data = self.file.content.read(self.offset, limit)
        self.offset += len(data)
        return data

    def unread(self, data: bytes) -> None:
        self.offset -= len(data)


class OpenDevice(Handle):
    """/dev/null, /dev/zero or /dev/urandom."""

    __slots__ = ("_random", "device")

    def __init__(self, device: Device) -> None:
        super().__init__()
        self.device = device

    def write(self, _data: bytes, /) -> None:
        """All of them swallow what is written."""

    def read(self, limit: int) -> bytes:
        filler = self.filler(limit)
        return b"" if filler is None else filler.materialise()

    def filler(self, length: int) -> Filler | None:
        """The next `length` bytes as a description; None at /dev/null."""
        return self.device.take(length)


def read_all(handle: Handle, limit: int = MAX_TEXT) -> Generator[Readable, None, bytes]:
    """Read to the end of file, waiting as needed; refuses more than `limit` bytes."""
    parts: list[bytes] = []
    total = 0
    while True:
        data = handle.read(limit + 1 - total)
        if data is None:
            yield Readable(handle)
            continue
        if not data:
            return b"".join(parts)
        parts.append(data)
        total += len(data)
        if total > limit:
            raise NotSimulatedError(f"reading more than {limit >> 20} MiB of input")


def read_line(handle: Handle) -> Generator[Readable, None, bytes]:
    """Read up to and including a newline (or to the end of file), leaving the rest unread."""
    line = b""
    while True:
        data = handle.read(4096)
        if data is None:
            yield Readable(handle)
            continue
        if not data:
            return line
        head, newline, rest = data.partition(b"\n")
        line += head + newline
        if newline:
            if rest:
                handle.unread(rest)
            return line
