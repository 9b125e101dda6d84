"""What a file holds. Bulk data (`dd` from /dev/zero or /dev/urandom) is described, not stored."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from lab.guests.errors import NotSimulatedError
from lab.guests.limits import MAX_MATERIALISED

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Filler:
    """`length` bytes of an endless stream, from `start` on; seed None is zeros, a number is that random stream."""

    length: int
    seed: int | None = None
    start: int = 0

    def cut(self, first: int, last: int) -> "Filler":
        """The bytes first..last (exclusive) of this piece."""
        return replace(self, start=self.start + first, length=last - first)

    def materialise(self) -> bytes:
        """The bytes; equal descriptions give equal bytes."""
        if self.seed is None:
            return bytes(self.length)
        first, last = self.start // _BLOCK, (self.start + self.length - 1) // _BLOCK
        stream = b"".join(random.Random(f"{self.seed}:{n}").randbytes(_BLOCK) for n in range(first, last + 1))
        skipped = self.start - first * _BLOCK
        return stream[skipped : skipped + self.length]


Segment: TypeAlias = bytearray | Filler


def _length(segment: Segment) -> int:
    return segment.length if isinstance(segment, Filler) else len(segment)


class Content:
    """The bytes of one file as a sequence of stored and described pieces."""

    __slots__ = ("_segments", "size")

    def __init__(self, data: bytes = b"") -> None:
        self._segments: list[Segment] = [bytearray(data)] if data else []
        self.size = len(data)

    @property
    def stored(self) -> int:
        """Bytes held in the lab's memory."""
        return sum(len(segment) for segment in self._segments if not isinstance(segment, Filler))

    def append(self, data: bytes | Filler) -> None:
        """Add at the end."""
        last = self._segments[-1] if self._segments else None
        if isinstance(data, Filler):
            self._segments.append(data)
            self.size += data.length
            return
        if isinstance(last, bytearray):
            last += data
        else:
            self._segments.append(bytearray(data))
        self.size += len(data)

    def write(self, offset: int, data: bytes | Filler) -> None:
        """Overwrite at `offset`, growing the file (a gap reads as zeros) where needed."""
        length = data.length if isinstance(data, Filler) else len(data)
        if offset > self.size:
            self.append(Filler(offset - self.size))
        if offset < self.size:
            tail = self.pieces(offset + length, None)
            self.truncate(offset)
            self.append(data)
            for piece in tail:
                self.append(piece)
        else:
            self.append(data)

    def truncate(self, size: int = 0) -> None:
        """Cut the file to `size` bytes, which is not more than it has."""
        self._segments = list(self._pieces(0, size))
        self.size = size

    def read(self, offset: int = 0, limit: int | None = None) -> bytes:
        """Up to `limit` bytes from `offset`; refuses to compute more than `MAX_MATERIALISED`."""
        last = self.size if limit is None else min(self.size, offset + limit)
        if last - offset > MAX_MATERIALISED:
            raise NotSimulatedError(f"reading more than {MAX_MATERIALISED >> 20} MiB at once")
        return b"".join(
            piece.materialise() if isinstance(piece, Filler) else bytes(piece) for piece in self._pieces(offset, last)
        )

    def pieces(self, offset: int, limit: int | None) -> list[bytes | Filler]:
        """Up to `limit` bytes from `offset` without computing what is only described."""
        last = self.size if limit is None else min(self.size, offset + limit)
        return [bytes(piece) if isinstance(piece, bytearray) else piece for piece in self._pieces(offset, last)]

    def _pieces(self, first: int, last: int) -> Iterator[Segment]:
        """The pieces between two offsets."""
        start = 0
        for segment in self._segments:
            end = start + _length(segment)
            low, high = max(first, start), min(last, end)
            if low < high:
                whole = low == start and high == end
                if isinstance(segment, Filler):
                    yield segment if whole else segment.cut(low - start, high - start)
                else:
                    yield segment if whole else segment[low - start : high - start]
            start = end
