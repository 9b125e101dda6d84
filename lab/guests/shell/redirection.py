"""Redirections of one command: opening, installing, and putting back what was there."""

import errno
from collections.abc import Generator

from lab.guests.filesystem import Mode, failure
from lab.guests.kernel import Call, Kernel, encode
from lab.guests.numerals import whole
from lab.guests.process import Process, Request
from lab.guests.shell.expansion import Expansion
from lab.guests.shell.syntax import Redirect
from lab.guests.streams import Handle, Text

_MODES: dict[str, Mode] = {"<": "r", ">": "w", ">|": "w", ">>": "a", "<>": "rw"}
_STANDARD = {"/dev/stdin": "0", "/dev/stdout": "1", "/dev/stderr": "2"}


class Redirection:
    """What a command changes in the descriptors of the process that runs it."""

    __slots__ = ("_kernel", "_process", "_saved")

    def __init__(self, kernel: Kernel, process: Process) -> None:
        self._kernel = kernel
        self._process = process
        self._saved: list[tuple[int, Handle | None]] = []

    def install(self, redirects: tuple[Redirect, ...], expansion: Expansion) -> Generator[Request, None, None]:
        """Open the targets in order. Raises OSError with the name of the file that cannot be opened."""
        handles = self._process.handles
        for redirect in redirects:
            target = yield from expansion.text(redirect.target)
            try:
                handle = self._handle(redirect.operator, target)
            except OSError as error:
                error.filename = target
                raise
            self._saved.append((redirect.descriptor, handles.pop(redirect.descriptor, None)))
            if handle is not None:
                handles[redirect.descriptor] = handle

    def keep(self) -> None:
        """Make the changes last."""
        for _, handle in self._saved:
            if handle is not None:
                handle.release()
        self._saved.clear()

    def undo(self) -> None:
        """Put back what was there, unless the changes were kept."""
        handles = self._process.handles
        for descriptor, before in reversed(self._saved):
            handle = handles.pop(descriptor, None)
            if handle is not None:
                handle.release()
            if before is not None:
                handles[descriptor] = before
        self._saved.clear()

    def _handle(self, operator: str, target: str) -> Handle | None:
        """The handle a redirection opens or copies; None closes."""
        if operator == "<<":
            return Text(encode(target))
        if target in _STANDARD:
            operator, target = ">&", _STANDARD[target]
        if operator in ("<&", ">&"):
            if target == "-":
                return None
            number = whole(target)
            handle = None if number is None else self._process.handles.get(number)
            if handle is None:
                raise failure(errno.EBADF)
            return handle.retain()
        return Call(self._kernel, self._process, []).open(target, _MODES[operator])
