"""What text programs read: the files they are given, or standard input."""

from collections.abc import Generator

from lab.guests.filesystem import failure
from lab.guests.kernel import Call, decode
from lab.guests.process import Request
from lab.guests.streams import Handle, read_all


def read_inputs(
    call: Call, operands: list[str], failures: list[str]
) -> Generator[Request, None, list[tuple[str, bytes]]]:
    """Name and content of every operand (`-` and no operand at all: standard input, named "").

    A file that cannot be read is reported, and its name added to `failures`.
    """
    contents: list[tuple[str, bytes]] = []
    for operand in operands or ["-"]:
        try:
            handle = open_input(call, operand)
        except OSError as error:
            call.err(f"{operand}: {error.strerror}")
            failures.append(operand)
            continue
        try:
            contents.append(("" if operand == "-" else operand, (yield from read_all(handle))))
        except OSError as error:
            call.err(f"{operand}: {error.strerror}")
            failures.append(operand)
        finally:
            handle.release()
    return contents


def open_input(call: Call, operand: str) -> Handle:
    """The handle of an operand; `-` is standard input."""
    if operand != "-":
        return call.open(operand, "r")
    handle = call.process.handles.get(0)
    if handle is None:
        raise failure(9)
    return handle.retain()


def lines_of(data: bytes) -> list[str]:
    """The lines without their newlines."""
    lines = decode(data).split("\n")
    return lines[:-1] if lines[-1] == "" else lines
