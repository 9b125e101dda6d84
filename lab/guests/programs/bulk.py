"""Bulk data: dd, sha256sum, md5sum. Reading and writing take guest time, and writing dirties memory."""

import hashlib
from collections.abc import Generator

from lab.guests.content import Filler
from lab.guests.errors import NotSimulatedError
from lab.guests.kernel import Call, UsageError
from lab.guests.limits import MAX_MATERIALISED
from lab.guests.process import Routine, Sleep
from lab.guests.programs.inputs import open_input
from lab.guests.programs.options import parse_options, size
from lab.guests.streams import Handle, OpenDevice, OpenFile, Readable, read_all

RANDOM_RATE = 400e6
"""Bytes per second that /dev/urandom gives on one core."""

MEMORY_RATE = 2.5e9
"""Bytes per second written to a file in memory."""

DISK_RATE = 200e6
"""Bytes per second written to the disk."""

_OPERANDS = ("if", "of", "bs", "count", "conv", "seek", "skip", "status", "oflag", "iflag")
_MAX_BYTES = 64 << 30


def dd(call: Call) -> Routine:
    """`dd [if=] [of=] [bs=] [count=] [seek=] [skip=] [conv=notrunc,fsync] [status=none]`.

    A copy takes size / rate seconds of guest time; the file has its new content when it is over.
    """
    given = _operands(call)
    block = size(given.get("bs", "512"))
    limit = size(given["count"]) * block if "count" in given else None
    if limit is not None and limit > _MAX_BYTES:
        raise NotSimulatedError(f"dd of more than {_MAX_BYTES >> 30} GiB")
    source = _source(call, given)
    target = _target(call, given, block)
    try:
        pieces = yield from _pieces(source, size(given.get("skip", "0")) * block, limit)
        length = sum(_length(piece) for piece in pieces)
        started = call.kernel.time.monotonic()
        duration = length / min(_rate(source), _rate(target))
        if isinstance(target, OpenFile) and target.file.volume.in_memory:
            call.kernel.load.note(call.process, call.path(given["of"]), length, started, duration)
        if duration > 0:
            yield Sleep(started + duration)
        _write(target, pieces, given)
    finally:
        source.release()
        target.release()
    if given.get("status") != "none":
        _report(call, length, block, duration)
    return 0


def _operands(call: Call) -> dict[str, str]:
    given: dict[str, str] = {}
    for argument in call.args:
        name, equals, value = argument.partition("=")
        if not equals or name not in _OPERANDS:
            raise UsageError(f"unrecognized operand '{argument}'")
        given[name] = value
    words = set(filter(None, given.get("conv", "").split(",")))
    if words - {"notrunc", "fsync", "fdatasync"}:
        raise NotSimulatedError(f"conv={given['conv']}")
    return given


def _source(call: Call, given: dict[str, str]) -> Handle:
    try:
        return open_input(call, given.get("if", "-"))
    except OSError as error:
        raise UsageError(f"failed to open '{given.get('if', 'standard input')}': {error.strerror}") from error


def _target(call: Call, given: dict[str, str], block: int) -> Handle:
    """The file to write, cut where writing begins unless conv=notrunc."""
    if "of" not in given:
        handle = call.process.handles.get(1)
        if handle is None:
            raise UsageError("failed to open standard output: Bad file descriptor")
        return handle.retain()
    try:
        target = call.open(given["of"], "over")
    except OSError as error:
        raise UsageError(f"failed to open '{given['of']}': {error.strerror}") from error
    if isinstance(target, OpenFile):
        target.offset = size(given.get("seek", "0")) * block
        if "notrunc" not in given.get("conv", ""):
            target.file.truncate(min(target.offset, target.file.size))
    return target


def _pieces(source: Handle, skipped: int, limit: int | None) -> Generator[Readable, None, list[bytes | Filler]]:
    """What is read: at most `limit` bytes after `skipped`."""
    if isinstance(source, OpenFile):
        return source.file.content.pieces(source.offset + skipped, limit)
    if skipped:
        raise NotSimulatedError("skip= on something that is not a file")
    if isinstance(source, OpenDevice):
        if limit is None:
            raise NotSimulatedError("dd from a device without count=")
        filler = source.filler(limit) if limit else None
        return [] if filler is None else [filler]
    data = yield from read_all(source, MAX_MATERIALISED)
    return [data if limit is None else data[:limit]]


def _length(piece: bytes | Filler) -> int:
    return piece.length if isinstance(piece, Filler) else len(piece)


def _rate(handle: Handle) -> float:
    """Bytes per second that one side of a copy allows."""
    if isinstance(handle, OpenFile):
        return MEMORY_RATE if handle.file.volume.in_memory else DISK_RATE
    return RANDOM_RATE if isinstance(handle, OpenDevice) and handle.device.stream == "random" else MEMORY_RATE


def _write(target: Handle, pieces: list[bytes | Filler], given: dict[str, str]) -> None:
    for piece in pieces:
        if isinstance(target, OpenFile):
            try:
                target.write(piece)
            except OSError as error:
                raise UsageError(f"error writing '{given['of']}': {error.strerror}") from error
        elif not isinstance(target, OpenDevice):
            if _length(piece) > MAX_MATERIALISED:
                raise NotSimulatedError(f"dd of more than {MAX_MATERIALISED >> 20} MiB into a pipe")
            target.write(piece.materialise() if isinstance(piece, Filler) else piece)


def _report(call: Call, length: int, block: int, duration: float) -> None:
    whole, rest = divmod(length, block)
    records = f"{whole}+{1 if rest else 0} records"
    seconds = max(duration, 1e-6)
    human = f" ({length / 1e6:.3g} MB, {length / (1 << 20):.3g} MiB)" if length >= 10**6 else ""
    handle = call.process.handles.get(2)
    if handle is not None:
        text = f"{length} bytes{human} copied, {seconds:.6g} s, {length / seconds / 1e6:.3g} MB/s"
        handle.write(f"{records} in\n{records} out\n{text}\n".encode())


def checksum(call: Call) -> Routine:
    """`sha256sum [file…]` and `md5sum [file…]`."""
    status = 0
    for operand in parse_options(call).operands or ["-"]:
        try:
            handle = open_input(call, operand)
            data = yield from read_all(handle, MAX_MATERIALISED)
        except OSError as error:
            call.err(f"{operand}: {error.strerror}")
            status = 1
            continue
        handle.release()
        digest = hashlib.sha256(data) if call.name == "sha256sum" else hashlib.md5(data, usedforsecurity=False)
        call.out(f"{digest.hexdigest()}  {operand}\n")
    return status
