"""The variables of a shell, its positional parameters and options, and the ways out of what it runs."""

from dataclasses import dataclass, field

from lab.guests.numerals import whole

DEFAULT_IFS = " \t\n"


class ShellExit(Exception):  # noqa: N818  (a way out, not an error)
    """The shell ends with this status; `fault` when an error ends it, which an interactive shell survives."""

    def __init__(self, status: int, *, fault: bool = False) -> None:
        super().__init__(status)
        self.status = status
        self.fault = fault


class LoopExit(Exception):  # noqa: N818  (a way out, not an error)
    """`break` or `continue`, still to leave this many loops."""

    def __init__(self, levels: int, *, again: bool) -> None:
        super().__init__(levels)
        self.levels = levels
        self.again = again


class FunctionExit(Exception):  # noqa: N818  (a way out, not an error)
    """`return`."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class ShellFault(Exception):  # noqa: N818  (becomes an error message of the shell)
    """An expansion or assignment failed; a script ends with status 1 and this message."""


@dataclass(slots=True)
class Scope:
    """What `fork` copies. `name` is $0, `pid` $$ (of the outermost shell), `background` $! (None before the first)."""

    name: str
    pid: int
    positional: list[str]
    values: dict[str, str]
    exported: set[str]
    readonly: set[str] = field(default_factory=set)
    status: int = 0
    background: int | None = None
    exit_on_error: bool = False
    unset_is_error: bool = False
    no_glob: bool = False
    trace: bool = False

    def copy(self) -> "Scope":
        """An independent copy, for a subshell."""
        return Scope(
            self.name, self.pid, list(self.positional), dict(self.values), set(self.exported), set(self.readonly),
            self.status, self.background, self.exit_on_error, self.unset_is_error, self.no_glob, self.trace,
        )  # fmt: skip

    def read(self, name: str) -> str | None:
        """The value of a variable or of a special parameter other than @ and *; None when unset."""
        if name in self.values:
            return self.values[name]
        index = whole(name)
        if index is not None:
            return self.name if index == 0 else self.positional[index - 1] if index <= len(self.positional) else None
        match name:
            case "#":
                return str(len(self.positional))
            case "?":
                return str(self.status)
            case "$":
                return str(self.pid)
            case "!":
                return None if self.background is None else str(self.background)
            case "-":
                flags = zip("eufx", (self.exit_on_error, self.unset_is_error, self.no_glob, self.trace), strict=True)
                return "".join(flag for flag, on in flags if on)
        return None

    def assign(self, name: str, value: str) -> None:
        """Set a variable. Raises ShellFault for a read-only one."""
        if name in self.readonly:
            raise ShellFault(f"{name}: readonly variable")
        self.values[name] = value

    def unset(self, name: str) -> None:
        """Forget a variable."""
        if name in self.readonly:
            raise ShellFault(f"{name}: cannot unset: readonly variable")
        self.values.pop(name, None)
        self.exported.discard(name)

    def restore(self, values: dict[str, str | None]) -> None:
        """Put values back; None is unset."""
        for name, value in values.items():
            if value is None:
                self.values.pop(name, None)
            else:
                self.values[name] = value

    @property
    def separators(self) -> str:
        """The field separators in force."""
        return self.values.get("IFS", DEFAULT_IFS)

    def environment(self) -> dict[str, str]:
        """What a program is given."""
        return {name: self.values[name] for name in self.exported if name in self.values}
