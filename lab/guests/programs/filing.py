"""Programs that change the tree: rm, mkdir, chmod, touch, mv, cp, ls, stat, mktemp, basename, dirname, readlink."""

import posixpath
import random
import re
from time import gmtime, strftime

from lab.guests.errors import NotSimulatedError
from lab.guests.files import Directory, File, Link, Node
from lab.guests.filesystem import failure
from lab.guests.kernel import Call, UsageError
from lab.guests.paths import TEMPORARY
from lab.guests.programs.options import Options, parse_options
from lab.guests.streams import OpenFile


def _demand_operands(options: Options, count: int = 1) -> list[str]:
    if len(options.operands) < count:
        raise UsageError("missing operand" if not options.operands else "missing destination file operand")
    return options.operands


def rm(call: Call) -> int:
    """`rm [-f] [-r] path…`."""
    options = parse_options(call, "frRv", long={"force": "f", "recursive": "r"})
    status = 0
    for operand in options.operands if "f" in options else _demand_operands(options):
        try:
            _remove(call, call.path(operand), recursive=bool({"r", "R"} & options.flags))
        except FileNotFoundError as error:
            if "f" not in options:
                call.err(f"cannot remove '{operand}': {error.strerror}")
                status = 1
        except OSError as error:
            call.err(f"cannot remove '{operand}': {error.strerror}")
            status = 1
    return status


def _remove(call: Call, path: str, *, recursive: bool) -> None:
    node = call.kernel.files.lookup(path, follow=False)
    if isinstance(node, Directory):
        if not recursive:
            raise failure(21)
        for name in list(node.names()):
            _remove(call, posixpath.join(path, name), recursive=True)
    call.kernel.files.remove(path, call.process.account)


def mkdir(call: Call) -> int:
    """`mkdir [-p] directory…`."""
    options = parse_options(call, "p", long={"parents": "p"})
    status = 0
    for operand in _demand_operands(options):
        try:
            _make(call, call.path(operand), parents="p" in options)
        except OSError as error:
            call.err(f"cannot create directory '{operand}': {error.strerror}")
            status = 1
    return status


def _make(call: Call, path: str, *, parents: bool) -> None:
    files = call.kernel.files
    if parents:
        if isinstance(files.find(path), Directory):
            return
        above = posixpath.dirname(path)
        if above != path:
            _make(call, above, parents=True)
    files.make_directory(path, call.process.account)


def chmod(call: Call) -> int:
    """`chmod MODE path…`: octal or `[ugoa][+-=][rwx]`."""
    args = call.args
    if len(args) < 2:
        raise UsageError("missing operand")
    if args[0].startswith("--") or args[0] == "-R":
        raise NotSimulatedError(f"option {args[0]}")
    for operand in args[1:]:
        try:
            node = call.kernel.files.lookup(call.path(operand))
        except OSError as error:
            raise UsageError(f"cannot access '{operand}': {error.strerror}") from error
        if not call.process.account.is_root and call.process.account.uid != node.owner:
            raise UsageError(f"changing permissions of '{operand}': Operation not permitted")
        node.mode = _mode(args[0], node.mode)
    return 0


def _mode(text: str, mode: int) -> int:
    if re.fullmatch(r"[0-7]{1,4}", text):
        return int(text, 8)
    for clause in text.split(","):
        match = re.fullmatch(r"([ugoa]*)([-+=])([rwx]*)", clause)
        if match is None:
            raise UsageError(f"invalid mode: '{text}'")
        who = match[1].replace("a", "ugo") or "ugo"
        bits = sum({"r": 4, "w": 2, "x": 1}[letter] for letter in set(match[3]))
        for group in who:
            shift = {"u": 6, "g": 3, "o": 0}[group]
            if match[2] == "=":
                mode &= ~(7 << shift)
            mode = mode & ~(bits << shift) if match[2] == "-" else mode | bits << shift
    return mode


def touch(call: Call) -> int:
    """`touch path…`."""
    options = parse_options(call, "c")
    for operand in _demand_operands(options):
        node = call.kernel.files.find(call.path(operand))
        if node is None and "c" in options:
            continue
        if node is None or isinstance(node, File):
            try:
                handle = call.open(operand, "a")
            except OSError as error:
                raise UsageError(f"cannot touch '{operand}': {error.strerror}") from error
            if isinstance(handle, OpenFile):
                handle.file.modified = call.kernel.time.realtime()
            handle.release()
        else:
            node.modified = call.kernel.time.realtime()
    return 0


def _into(call: Call, source: str, target: str) -> str:
    """Where `source` goes: a directory as target keeps the name."""
    path = call.path(target)
    inside = isinstance(call.kernel.files.find(path), Directory)
    return posixpath.join(path, posixpath.basename(source)) if inside else path


def mv(call: Call) -> int:
    """`mv [-f] source… target`."""
    *sources, target = _demand_operands(parse_options(call, "fT"), 2)
    for source in sources:
        try:
            call.kernel.files.rename(call.path(source), _into(call, source, target), call.process.account)
        except OSError as error:
            raise UsageError(f"cannot move '{source}' to '{target}': {error.strerror}") from error
    return 0


def cp(call: Call) -> int:
    """`cp [-f] [-p] source… target`, files only."""
    *sources, target = _demand_operands(parse_options(call, "fp"), 2)
    for source in sources:
        try:
            reader = call.open(source, "r")
            writer = call.kernel.files.open(_into(call, source, target), "w", call.process.account)
            while data := reader.read(1 << 20):
                writer.write(data)
        except OSError as error:
            raise UsageError(f"cannot copy '{source}' to '{target}': {error.strerror}") from error
        reader.release()
        writer.release()
    return 0


def _mode_text(node: Node) -> str:
    letters = "".join(letter if node.mode >> (8 - n) & 1 else "-" for n, letter in enumerate("rwxrwxrwx"))
    if node.mode & 0o1000:
        letters = letters[:-1] + ("t" if node.mode & 1 else "T")
    return node.kind + letters


def _owner(call: Call, node: Node) -> str:
    account = call.kernel.account_of(node.owner)
    return account.name if account else str(node.owner)


def ls(call: Call) -> int:
    """`ls [-l] [-1] [-a] [-A] [-d] [-h] [path…]`, one name a line."""
    options = parse_options(call, "l1aAdh")
    status = 0
    operands = options.operands or ["."]
    for operand in operands:
        try:
            node = call.kernel.files.lookup(call.path(operand), follow="l" not in options)
        except OSError as error:
            call.err(f"cannot access '{operand}': {error.strerror}")
            status = 2
            continue
        if not isinstance(node, Directory) or "d" in options:
            call.out(_entry(call, operand, node, long="l" in options))
            continue
        if len(operands) > 1:
            call.out(f"{operand}:\n")
        hidden = bool({"a", "A"} & options.flags)
        names = [name for name in node.names() if hidden or not name.startswith(".")]
        if "l" in options:
            call.out("total 0\n")
        for name in names:
            child = node.child(name)
            if child is not None:
                call.out(_entry(call, name, child, long="l" in options))
    return status


def _entry(call: Call, name: str, node: Node, *, long: bool) -> str:
    if not long:
        return f"{name}\n"
    owner = _owner(call, node)
    arrow = f" -> {node.target}" if isinstance(node, Link) else ""
    when = strftime("%b %e %H:%M", gmtime(node.modified))
    return f"{_mode_text(node)} 1 {owner} {owner} {node.size:>8} {when} {name}{arrow}\n"


def stat(call: Call) -> int:
    """`stat -c FORMAT path…` with %s %n %Y %a %A %U %u %F."""
    options = parse_options(call, "L", "c", long={"format": "c"})
    if "c" not in options.values:
        raise NotSimulatedError("stat without -c")
    for operand in _demand_operands(options):
        try:
            node = call.kernel.files.lookup(call.path(operand), follow="L" in options)
        except OSError as error:
            raise UsageError(f"cannot statx '{operand}': {error.strerror}") from error
        kinds = {"-": "regular file", "d": "directory", "l": "symbolic link", "c": "character special file"}
        facts = {
            "s": str(node.size), "n": operand, "Y": str(int(node.modified)), "a": f"{node.mode:o}",
            "A": _mode_text(node), "U": _owner(call, node), "u": str(node.owner), "F": kinds[node.kind], "%": "%",
        }  # fmt: skip
        template = options.values["c"]
        unknown = set(re.findall(r"%(.)", template)) - set(facts)
        if unknown:
            raise NotSimulatedError(f"stat -c %{unknown.pop()}")
        call.out("".join(facts[piece[1]] if piece[0] == "%" else piece for piece in re.findall(r"%.|[^%]+", template)))
        call.out("\n")
    return 0


def mktemp(call: Call) -> int:
    """`mktemp [-d] [template]`."""
    options = parse_options(call, "d")
    template = options.operands[0] if options.operands else posixpath.join(TEMPORARY, "tmp.XXXXXXXXXX")
    marks = re.search(r"X{3,}$", template)
    if marks is None:
        raise UsageError(f"too few X's in template '{template}'")
    dice = random.Random(f"{call.kernel.boot_id}:{call.process.pid}")
    name = template[: marks.start()] + "".join(dice.choices("abcdefghijkmnpqrstuvwxyz", k=len(marks[0])))
    if "d" in options:
        call.kernel.files.make_directory(call.path(name), call.process.account)
    else:
        call.open(name, "w").release()
    call.kernel.files.lookup(call.path(name)).mode = 0o700 if "d" in options else 0o600
    call.out(f"{name}\n")
    return 0


def basename(call: Call) -> int:
    """`basename path [suffix]`."""
    path, *suffix = _demand_operands(parse_options(call))
    name = posixpath.basename(path.rstrip("/")) or "/"
    if suffix and name != suffix[0]:
        name = name.removesuffix(suffix[0])
    call.out(f"{name}\n")
    return 0


def dirname(call: Call) -> int:
    """`dirname path`."""
    path = _demand_operands(parse_options(call))[0]
    call.out(f"{posixpath.dirname(path.rstrip('/')) or ('/' if path.startswith('/') else '.')}\n")
    return 0


def readlink(call: Call) -> int:
    """`readlink path`."""
    path = _demand_operands(parse_options(call))[0]
    node = call.kernel.files.find(call.path(path), follow=False)
    if not isinstance(node, Link):
        return 1
    call.out(f"{node.target}\n")
    return 0
