"""Finds what a command name stands for: a program of the image, or a script on the disk."""

import errno

from lab.guests.files import EXECUTE, READ, Directory, File, Program
from lab.guests.filesystem import failure
from lab.guests.kernel import Call, Kernel, decode
from lab.guests.kernel import Program as Runnable
from lab.guests.process import Process, Routine

_SHELLS = ("sh", "bash")


def find_program(kernel: Kernel, process: Process, argv: list[str], path: str) -> Runnable | None:
    """The program of `argv[0]`, None where there is none in the path. Raises OSError for a path that cannot be run."""
    name = argv[0]
    if "/" in name:
        return _executable(kernel, process, name)
    program = kernel.programs.get(name)
    if program is not None and "/usr/bin" in path:
        return program
    for directory in filter(None, path.split(":")):
        candidate = f"{directory}/{name}"
        node = kernel.files.find(candidate)
        if node is not None and not isinstance(node, Directory) and node.permits(process.account, EXECUTE):
            return _executable(kernel, process, candidate)
    return None


def locate(kernel: Kernel, process: Process, name: str, path: str) -> str | None:
    """The path under which a command would be found, as `command -v` prints it."""
    candidates = [name] if "/" in name else [f"{directory}/{name}" for directory in path.split(":") if directory]
    for candidate in candidates:
        node = kernel.files.find(Call(kernel, process, []).path(candidate))
        if node is not None and not isinstance(node, Directory) and node.permits(process.account, EXECUTE):
            return candidate
    return None


def _executable(kernel: Kernel, process: Process, path: str) -> Runnable:
    node = kernel.files.lookup(Call(kernel, process, []).path(path))
    if isinstance(node, Directory):
        raise failure(errno.EISDIR)
    node.demand(process.account, EXECUTE)
    if isinstance(node, Program):
        return kernel.programs[node.name]
    if not isinstance(node, File):
        raise failure(errno.EACCES)
    node.demand(process.account, READ)
    return _script(kernel, node, path)


def _script(kernel: Kernel, node: File, path: str) -> Runnable:
    """A text file is run by the interpreter its first line names; without one, by sh."""
    first = decode(node.content.read(0, 256)).split("\n", 1)[0]
    interpreter = first[2:].split() if first.startswith("#!") else ["/bin/sh"]
    if interpreter[:1] == ["/usr/bin/env"]:
        interpreter = interpreter[1:]
    name = interpreter[0].rsplit("/", 1)[-1] if interpreter else ""
    if name not in _SHELLS:
        raise OSError(errno.ENOENT, f"{first[2:].strip()}: bad interpreter: No such file or directory")

    def run(call: Call) -> int | Routine:
        argv = [*interpreter, path, *call.args]
        call.process.argv = argv
        return kernel.programs[name](Call(kernel, call.process, argv))

    return run
