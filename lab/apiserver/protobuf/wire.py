"""The protobuf wire format: tags, varints and length-delimited values."""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class WireError(ValueError):
    """The bytes are no protobuf message."""


def fields(message: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """Field number, wire type and value of each field in order: an int for varints, else the raw bytes."""
    position = 0
    while position < len(message):
        tag, position = varint(message, position)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, position = varint(message, position)
            yield number, kind, value
            continue
        if kind == BYTES:
            size, position = varint(message, position)
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise WireError(f"wire type {kind} of field {number} is not in use")
        if position + size > len(message):
            raise WireError(f"field {number} is cut short")
        yield number, kind, message[position : position + size]
        position += size


def varint(message: bytes, position: int) -> tuple[int, int]:
    """The unsigned varint at `position`, and the position after it."""
    value = shift = 0
    while position < len(message):
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, position
        shift += 7
        if shift > 63:
            break
    raise WireError("a varint has no end")


def signed(value: int) -> int:
    """A varint read as int32 or int64: negative numbers are sent as ten bytes of two's complement."""
    return value - (1 << 64) if value >= 1 << 63 else value


def packed(value: bytes) -> Iterator[int]:
    """The varints of a packed repeated field."""
    position = 0
    while position < len(value):
        number, position = varint(value, position)
        yield number
