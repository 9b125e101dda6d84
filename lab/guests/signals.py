"""Signal numbers and names of Linux on x86."""

from lab.guests.numerals import whole

_NAMES = (
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
    "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO",
    "PWR", "SYS",
)  # fmt: skip
_NUMBERS = {name: number for number, name in enumerate(_NAMES, 1)}

SIGHUP, SIGINT, SIGKILL, SIGPIPE, SIGTERM = 1, 2, 9, 13, 15
SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH = 17, 18, 19, 20, 21, 22, 23, 28

HARMLESS = frozenset({0, SIGCHLD, SIGURG, SIGWINCH})
"""Signals whose default is to do nothing (and 0, which only asks whether the process is there)."""

STOPPING = frozenset({SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU})
UNSTOPPABLE = frozenset({SIGKILL, SIGSTOP})


def signal_number(text: str) -> int:
    """The number of `9`, `KILL` or `SIGKILL`. Raises ValueError for anything else."""
    number = whole(text)
    if number is not None and 0 <= number <= len(_NAMES):
        return number
    number = _NUMBERS.get(text.upper().removeprefix("SIG"))
    if number is None:
        raise ValueError(f"{text}: invalid signal specification")
    return number


def signal_names() -> str:
    """All names, as `kill -l` prints them."""
    return " ".join(_NAMES)
