"""The tree of a guest's files: paths, permissions, opening, creating and removing."""

import errno
import os
import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lab.guests.accounts import Account
from lab.guests.files import READ, WRITE, Device, Directory, File, Generated, Link, Node, Program
from lab.guests.serial import OpenSerial, Serial
from lab.guests.streams import Handle, OpenDevice, OpenFile, Text

Mode: TypeAlias = Literal["r", "w", "a", "rw", "over"]
"""Read; truncate and write; append; read and write; overwrite without truncating. All but the first create as well."""

_MAX_LINKS = 16


def failure(code: int) -> OSError:
    """The OSError of an errno, with the text that programs print."""
    return OSError(code, os.strerror(code))


@dataclass(frozen=True, slots=True)
class FileSystem:
    """Operations on the tree. Paths are absolute; errors are OSErrors with the errno of the real call."""

    root: Directory
    now: Callable[[], float]

    def lookup(self, path: str, *, follow: bool = True) -> Node:
        """The node at `path`; `follow` resolves a symbolic link in the last place too."""
        node = self._locate(path, follow=follow)[2]
        if node is None:
            raise failure(errno.ENOENT)
        return node

    def find(self, path: str, *, follow: bool = True) -> Node | None:
        """The node at `path`, or None where there is none."""
        try:
            return self._locate(path, follow=follow)[2]
        except (FileNotFoundError, NotADirectoryError):
            return None

    def open(self, path: str, mode: Mode, account: Account) -> Handle:
        """Open for reading or writing; writing creates the file."""
        parent, name, node = self._locate(path, follow=True)
        if node is None:
            if mode == "r":
                raise failure(errno.ENOENT)
            parent.demand(account, WRITE)
            node = File(parent.volume, owner=account.uid)
            node.modified = self.now()
            parent.put(name, node)
        if mode in ("r", "rw"):
            node.demand(account, READ)
        if mode != "r":
            node.demand(account, WRITE)
        return self._opened(node, mode)

    def _opened(self, node: Node, mode: Mode) -> Handle:
        if isinstance(node, File):
            if mode == "w":
                node.truncate()
                node.modified = self.now()
            access = mode if mode in ("r", "rw") else "w"
            return OpenFile(node, access, append=mode == "a", now=self.now)
        if isinstance(node, Device):
            return OpenDevice(node)
        if isinstance(node, Serial):
            return OpenSerial(node)
        if isinstance(node, Generated) and mode == "r":
            return Text(node.make().encode())
        if isinstance(node, Program) and mode == "r":
            return Text(b"\x7fELF" + node.name.encode())
        raise failure(errno.EISDIR if isinstance(node, Directory) else errno.EACCES)

    def read(self, path: str) -> bytes:
        """The whole file, as root."""
        node = self.lookup(path)
        if isinstance(node, Generated):
            return node.make().encode()
        if isinstance(node, File):
            return node.content.read()
        raise failure(errno.EISDIR if isinstance(node, Directory) else errno.EINVAL)

    def write(self, path: str, data: bytes, *, owner: int = 0, mode: int = 0o644) -> None:
        """Create or replace a file as root, with the directories above it."""
        parent = self.make_directories(posixpath.dirname(path))
        node = File(parent.volume, data, owner=owner, mode=mode)
        node.modified = self.now()
        parent.put(posixpath.basename(path), node)

    def make_directories(self, path: str, *, owner: int = 0, mode: int = 0o755) -> Directory:
        """The directory at `path`, created as root with those above it where missing; `owner` of what is created."""
        directory, walked = self.root, ""
        for name in filter(None, path.split("/")):
            walked += "/" + name
            node = self.find(walked)
            if node is None:
                node = Directory(directory.volume, owner=owner, mode=mode)
                node.modified = self.now()
                directory.put(name, node)
            if not isinstance(node, Directory):
                raise failure(errno.ENOTDIR)
            directory = node
        return directory

    def make_directory(self, path: str, account: Account) -> None:
        """mkdir(2)."""
        parent, name, node = self._locate(path, follow=False)
        if node is not None:
            raise failure(errno.EEXIST)
        parent.demand(account, WRITE)
        made = Directory(parent.volume, owner=account.uid)
        made.modified = self.now()
        parent.put(name, made)

    def remove(self, path: str, account: Account) -> None:
        """Remove a file, a link, or an empty directory."""
        parent, name, node = self._removable(path, account)
        if isinstance(node, Directory) and next(node.names(), None) is not None:
            raise failure(errno.ENOTEMPTY)
        parent.drop(name)

    def rename(self, old: str, new: str, account: Account) -> None:
        """Move as mv does: over a file, and between volumes (the file is then charged to the new one)."""
        source, name, node = self._removable(old, account)
        target, new_name, present = self._locate(new, follow=False)
        target.demand(account, WRITE)
        if present is node:
            return
        if isinstance(present, Directory):
            raise failure(errno.EISDIR)
        if isinstance(node, File) and source.volume is not target.volume:
            moved = File(target.volume, node.content.read(), owner=node.owner, mode=node.mode)
            moved.modified = node.modified
            source.drop(name)
            node = moved
        else:
            source.detach(name)
        if present is not None:
            target.drop(new_name)
        target.put(new_name, node)

    def _removable(self, path: str, account: Account) -> tuple[Directory, str, Node]:
        parent, name, node = self._locate(path, follow=False)
        if node is None:
            raise failure(errno.ENOENT)
        parent.demand(account, WRITE)
        if parent.mode & 0o1000 and not account.is_root and account.uid != node.owner:
            raise failure(errno.EPERM)
        return parent, name, node

    def _locate(self, path: str, *, follow: bool, depth: int = 0) -> tuple[Directory, str, Node | None]:
        """The parent directory, the last name, and the node there (None where there is none)."""
        parent = self.root
        names = [name for name in path.split("/") if name]
        if not names:
            return parent, "", parent
        for position, name in enumerate(names):
            last = position == len(names) - 1
            node = parent.child(name)
            if isinstance(node, Link) and (follow or not last):
                if depth == _MAX_LINKS:
                    raise failure(errno.ELOOP)
                target = posixpath.join("/".join(["", *names[:position]]) or "/", node.target)
                rest = posixpath.join(target, *names[position + 1 :])
                return self._locate(posixpath.normpath(rest), follow=follow, depth=depth + 1)
            if last:
                return parent, name, node
            if node is None:
                raise failure(errno.ENOENT)
            if not isinstance(node, Directory):
                raise failure(errno.ENOTDIR)
            parent = node
        raise AssertionError("unreachable: the loop returns at the last name")
