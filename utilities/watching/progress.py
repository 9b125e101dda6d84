"""What a long wait shows meanwhile: one line, rewritten in place, in a terminal only."""

from __future__ import annotations

import shutil
import sys
from typing import TextIO


class Progress:
    """A line that is rewritten in place. Silent unless the stream is a terminal, so CI logs stay clean."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._shown = False

    def show(self, line: str) -> None:
        """Replace the line."""
        if self._live:
            self._write("\r\x1b[2K" + line[: shutil.get_terminal_size().columns - 1])
            self._shown = True

    def clear(self) -> None:
        """Remove the line, if there is one."""
        if self._shown:
            self._write("\r\x1b[2K")
            self._shown = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
