"""Command lines in the manner of getopt."""

from dataclasses import dataclass

from lab.guests.errors import NotSimulatedError
from lab.guests.kernel import Call, UsageError
from lab.guests.numerals import whole


@dataclass(frozen=True, slots=True)
class Options:
    """What a command line says: the flags that are on, the options with a value, the operands."""

    flags: frozenset[str]
    values: dict[str, str]
    operands: list[str]

    def __contains__(self, flag: str) -> bool:
        return flag in self.flags


def parse_options(call: Call, flags: str = "", values: str = "", *, long: dict[str, str] | None = None) -> Options:
    """Split the arguments. `flags` and `values` list the simulated letters; `long` maps long names to letters.

    Raises NotSimulatedError for any other option: it must not seem to have had an effect.
    """
    found: set[str] = set()
    given: dict[str, str] = {}
    operands: list[str] = []
    args = list(call.args)
    while args:
        word = args.pop(0)
        if word == "--":
            operands += args
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            letter = (long or {}).get(name)
            if letter is None:
                raise NotSimulatedError(f"option --{name}")
            if letter in values:
                given[letter] = value if equals else _next(args, word)
            else:
                found.add(letter)
        elif word.startswith("-") and len(word) > 1:
            _cluster(word[1:], flags, values, args, found, given)
        else:
            operands.append(word)
    return Options(frozenset(found), given, operands)


def _cluster(letters: str, flags: str, values: str, args: list[str], found: set[str], given: dict[str, str]) -> None:
    """`-abc`, `-nVALUE` and `-n VALUE`."""
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter in values:
            given[letter] = letters or _next(args, f"-{letter}")
            return
        if letter not in flags:
            raise NotSimulatedError(f"option -{letter}")
        found.add(letter)


def _next(args: list[str], option: str) -> str:
    if not args:
        raise UsageError(f"option requires an argument -- '{option.lstrip('-')}'", 2)
    return args.pop(0)


def integer(text: str, what: str) -> int:
    """A whole number of a command line."""
    number = whole(text)
    if number is None:
        raise UsageError(f"invalid {what}: '{text}'")
    return number


_SUFFIXES = {
    "": 1, "c": 1, "w": 2, "b": 512, "K": 1 << 10, "k": 1 << 10, "kB": 1000, "KB": 1000, "KiB": 1 << 10,
    "M": 1 << 20, "MB": 10**6, "MiB": 1 << 20, "G": 1 << 30, "GB": 10**9, "GiB": 1 << 30,
}  # fmt: skip


def size(text: str) -> int:
    """A number of bytes with a suffix, as dd and head take it."""
    digits = text.rstrip("bBcGiKkMw")
    factor, number = _SUFFIXES.get(text[len(digits) :]), whole(digits)
    if factor is None or number is None or number < 0:
        raise UsageError(f"invalid number: '{text}'")
    return number * factor
