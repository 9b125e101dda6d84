"""The serial console of a guest: what was written to it, as the host keeps it."""

from __future__ import annotations

from lab.guests.files import Node
from lab.guests.streams import Handle

KEPT = 102_400  # bytes; Nova gives no more than that


class SerialLog:
    """The last `KEPT` bytes."""

    def __init__(self) -> None:
        self._data = bytearray()

    @property
    def data(self) -> bytes:
        """What is kept."""
        return bytes(self._data)

    @property
    def text(self) -> str:
        """The same; bytes that are no text are replaced."""
        return self._data.decode(errors="replace")

    def write(self, data: bytes) -> None:
        """Add to it."""
        self._data += data
        del self._data[:-KEPT]

    def clear(self) -> None:
        """Begin anew, as the file of another QEMU process does."""
        self._data.clear()


class Serial(Node):
    """/dev/console and /dev/ttyS0."""

    __slots__ = ("log",)

    kind = "c"

    def __init__(self, log: SerialLog) -> None:
        super().__init__(mode=0o620)
        self.log = log


class OpenSerial(Handle):
    """Nobody types on it."""

    __slots__ = ("_log",)

    def __init__(self, serial: Serial) -> None:
        super().__init__()
        self._log = serial.log

    def write(self, data: bytes, /) -> None:
        self._log.write(data)

    def read(self, _limit: int, /) -> bytes:
        return b""
