"""Nodes of the guest's file system tree."""

import errno
import os
from collections.abc import Callable, Iterator

from lab.guests.accounts import Account
from lab.guests.content import Content, Filler
from lab.guests.limits import MAX_MATERIALISED

READ, WRITE, EXECUTE = 4, 2, 1


class Volume:
    """The space of one file system, in bytes."""

    __slots__ = ("_stored", "capacity", "in_memory", "used")

    def __init__(self, capacity: int, *, in_memory: bool = False) -> None:
        self.capacity = capacity
        self.in_memory = in_memory
        self.used = 0
        self._stored = 0

    def demand(self, size: int, stored: int) -> None:
        """Raises OSError(ENOSPC) unless `size` more bytes fit, of which the lab holds `stored`."""
        if self.used + size > self.capacity or self._stored + stored > MAX_MATERIALISED:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def account(self, size: int, stored: int) -> None:
        """Account a change of the bytes in use."""
        self.used += size
        self._stored += stored


class Node:
    """Anything that has a name in the tree."""

    __slots__ = ("mode", "modified", "owner")

    kind = "-"

    def __init__(self, *, owner: int = 0, mode: int = 0o644, modified: float = 0.0) -> None:
        self.owner = owner
        self.mode = mode
        self.modified = modified

    @property
    def size(self) -> int:
        """The size as ls shows it."""
        return 0

    def permits(self, account: Account, want: int) -> bool:
        """Whether the account may do `want` (bits READ, WRITE, EXECUTE); groups are not simulated."""
        if account.is_root:
            return want != EXECUTE or bool(self.mode & 0o111) or self.kind == "d"
        shift = 6 if account.uid == self.owner else 0
        return (self.mode >> shift) & want == want

    def demand(self, account: Account, want: int) -> None:
        """Raises PermissionError unless `permits`."""
        if not self.permits(account, want):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


class File(Node):
    """A regular file."""

    __slots__ = ("content", "volume")

    def __init__(self, volume: Volume, data: bytes = b"", *, owner: int = 0, mode: int = 0o644) -> None:
        super().__init__(owner=owner, mode=mode)
        self.volume = volume
        self.content = Content()
        if data:
            self.write(0, data)

    @property
    def size(self) -> int:
        return self.content.size

    def write(self, offset: int, data: bytes | Filler) -> None:
        """Overwrite or extend; raises OSError(ENOSPC) when the volume is full."""
        size, stored = self.content.size, self.content.stored
        length, held = (data.length, 0) if isinstance(data, Filler) else (len(data), len(data))
        self.volume.demand(max(0, offset + length - size), held)
        self.content.write(offset, data)
        self.volume.account(self.content.size - size, self.content.stored - stored)

    def truncate(self, size: int = 0) -> None:
        """Cut to `size` bytes and give the space back."""
        before, stored = self.content.size, self.content.stored
        self.content.truncate(size)
        self.volume.account(self.content.size - before, self.content.stored - stored)


class Generated(Node):
    """A file whose text is made when it is read, as under /proc."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], str], *, mode: int = 0o444) -> None:
        super().__init__(mode=mode)
        self.make = make


class Program(Node):
    """An executable of the image; `name` is the key in the table of programs."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__(mode=0o755)
        self.name = name


class Device(Node):
    """A character device: an endless stream (`null` is an empty one)."""

    __slots__ = ("_seed", "_taken", "stream")

    kind = "c"

    def __init__(self, stream: str, seed: int = 0) -> None:
        super().__init__(mode=0o666)
        self.stream = stream
        self._seed = seed
        self._taken = 0

    def take(self, length: int) -> Filler | None:
        """The next `length` bytes; None at `null`. Random bytes never come twice."""
        if self.stream == "null":
            return None
        if self.stream == "zero":
            return Filler(length)
        self._taken += length
        return Filler(length, self._seed, self._taken - length)


class Link(Node):
    """A symbolic link."""

    __slots__ = ("target",)

    kind = "l"

    def __init__(self, target: str) -> None:
        super().__init__(mode=0o777)
        self.target = target


class Directory(Node):
    """A directory; `volume` is where files created in it take their space."""

    __slots__ = ("_entries", "volume")

    kind = "d"

    def __init__(self, volume: Volume, *, owner: int = 0, mode: int = 0o755) -> None:
        super().__init__(owner=owner, mode=mode)
        self.volume = volume
        self._entries: dict[str, Node] = {}

    def child(self, name: str) -> Node | None:
        """The entry of that name."""
        return self._entries.get(name)

    def names(self) -> Iterator[str]:
        """The names of the entries, sorted."""
        return iter(sorted(self._entries))

    def put(self, name: str, node: Node) -> None:
        """Add or replace an entry."""
        self._entries[name] = node

    def detach(self, name: str) -> Node:
        """Take an entry out, to be put elsewhere."""
        return self._entries.pop(name)

    def drop(self, name: str) -> None:
        """Remove an entry; a file gives its space back."""
        node = self.detach(name)
        if isinstance(node, File):
            node.truncate()
