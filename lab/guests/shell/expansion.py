"""Turns words into arguments: parameters, substitutions, field splitting, patterns."""

import re
from collections.abc import Callable, Generator
from functools import lru_cache
from typing import TypeAlias

from lab.guests.errors import NotSimulatedError
from lab.guests.limits import MAX_VALUE
from lab.guests.process import Request
from lab.guests.shell import patterns
from lab.guests.shell.arithmetic import Variables, evaluate
from lab.guests.shell.scope import Scope, ShellFault
from lab.guests.shell.syntax import Literal, Parameter, Part, Sequence, Substitution, Word

Steps: TypeAlias = Generator[Request, None, None]


class _Field:
    """Pieces of text that stand together, each quoted or not."""

    __slots__ = ("_pieces", "_size")

    def __init__(self) -> None:
        self._pieces: list[tuple[str, bool]] = []
        self._size = 0

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def add(self, text: str, *, quoted: bool) -> None:
        self._pieces.append((text, quoted))
        self._size += len(text)
        if self._size > MAX_VALUE:
            raise NotSimulatedError(f"a value of more than {MAX_VALUE >> 10} KiB")

    @property
    def text(self) -> str:
        return "".join([text for text, _ in self._pieces])

    @property
    def pattern(self) -> str:
        return "".join([patterns.escape(text) if quoted else text for text, quoted in self._pieces])

    @property
    def is_pattern(self) -> bool:
        """Whether there may be an active special character in it."""
        return any(not quoted and patterns.SPECIAL.search(text) for text, quoted in self._pieces)


class _Fields:
    """Fields under construction."""

    def __init__(self, separators: str | None) -> None:
        self.separators = separators
        self.done: list[_Field] = []
        self._field = _Field()

    def add(self, text: str, *, quoted: bool) -> None:
        """Text that stays in the present field."""
        self._field.add(text, quoted=quoted)

    def add_split(self, text: str) -> None:
        """The result of an unquoted expansion."""
        if self.separators is None:
            self.add(text, quoted=False)
            return
        position = 0
        for match in _separator(self.separators).finditer(text):
            if match.start() > position:
                self.add(text[position : match.start()], quoted=False)
            self.end_field(always=match["hard"] is not None)
            position = match.end()
        if position < len(text):
            self.add(text[position:], quoted=False)

    def end_field(self, *, always: bool) -> None:
        """Close the present field if there is one; `always` closes an empty one too."""
        if self._field or always:
            self.done.append(self._field)
            self._field = _Field()


@lru_cache(maxsize=32)
def _separator(separators: str) -> re.Pattern[str]:
    """What stands between fields: white space around at most one other separator (`hard`)."""
    soft = "".join(character for character in separators if character in " \t\n")
    hard = "".join(character for character in separators if character not in " \t\n")
    blank = f"[{re.escape(soft)}]" if soft else "(?!)"
    other = f"[{re.escape(hard)}]" if hard else "(?!)"
    return re.compile(f"{blank}*(?P<hard>{other}){blank}*|{blank}+")


class Expansion:
    """Expands words in a scope. `substitute` runs commands and returns what they print; `glob` matches path names."""

    __slots__ = ("glob", "scope", "substitute", "variables")

    def __init__(
        self,
        scope: Scope,
        substitute: Callable[[Sequence], Generator[Request, None, str]],
        glob: Callable[[str], list[str]],
    ) -> None:
        self.scope = scope
        self.substitute = substitute
        self.glob = glob
        self.variables = Variables(scope.read, scope.assign)

    def fields(self, words: tuple[Word, ...]) -> Generator[Request, None, list[str]]:
        """The arguments that the words become."""
        arguments: list[str] = []
        for word in words:
            if word.constant is not None:
                arguments.append(word.constant)
                continue
            fields = _Fields(self.scope.separators)
            yield from self._add_all(fields, word.parts, start=True)
            fields.end_field(always=False)
            for field in fields.done:
                found: list[str] = []
                if field.is_pattern and not self.scope.no_glob and patterns.has_magic(field.pattern):
                    found = self.glob(field.pattern)
                arguments += found or [field.text]
        return arguments

    def text(self, word: Word) -> Generator[Request, None, str]:
        """The word as one text: an assigned value, the name of a file, a here-document."""
        if word.constant is not None:
            return word.constant
        return (yield from self._single(word)).text

    def pattern(self, word: Word) -> Generator[Request, None, str]:
        """The word as a pattern in which quoted text stands for itself."""
        return (yield from self._single(word)).pattern

    def _single(self, word: Word) -> Generator[Request, None, _Field]:
        fields = _Fields(None)
        yield from self._add_all(fields, word.parts, start=True)
        fields.end_field(always=True)
        return fields.done[0]

    def _add_all(self, fields: _Fields, parts: tuple[Part, ...], *, start: bool = False) -> Steps:
        first = start
        for part in parts:
            if isinstance(part, Literal):
                text = self._tilde(fields, part.text) if first and not part.quoted else part.text
                if text or part.quoted:
                    fields.add(text, quoted=part.quoted)
            elif isinstance(part, Parameter):
                if part.plain:
                    self._add_value(fields, self.scope.values.get(part.name) or self._rare(part), quoted=part.quoted)
                else:
                    yield from self._parameter(fields, part)
            elif isinstance(part, Substitution):
                self._add_value(fields, (yield from self.substitute(part.body)), quoted=part.quoted)
            else:
                source = part.expression.constant
                if source is None:
                    source = yield from self.text(part.expression)
                self._add_value(fields, str(evaluate(source, self.variables)), quoted=part.quoted)
            first = False

    def _rare(self, part: Parameter) -> str:
        """The value of a plain parameter that is no variable, or an empty one."""
        value = self.scope.read(part.name)
        if value is None and self.scope.unset_is_error:
            raise ShellFault(f"{part.name}: unbound variable")
        return value or ""

    def _tilde(self, fields: _Fields, text: str) -> str:
        """Adds the home directory for a leading `~`; returns the rest."""
        if not text.startswith("~"):
            return text
        user, slash, rest = text[1:].partition("/")
        home = self.scope.read("HOME")
        if user or home is None:
            return text
        fields.add(home, quoted=True)
        return slash + rest

    @staticmethod
    def _add_value(fields: _Fields, value: str, *, quoted: bool) -> None:
        if quoted:
            fields.add(value, quoted=True)
        else:
            fields.add_split(value)

    def _parameter(self, fields: _Fields, part: Parameter) -> Steps:
        if part.name in "@*" and not part.operator and not part.length:
            self._positional(fields, part)
            return
        value = self._joined() if part.name in "@*" else self.scope.read(part.name)
        operator = part.operator.lstrip(":")
        if operator in ("-", "=", "?", "+") and part.argument is not None:
            present = value is not None and not (part.operator.startswith(":") and value == "")
            if present == (operator == "+"):
                yield from self._alternative(fields, part, operator, part.argument)
                return
            value = "" if operator == "+" else value
        elif part.operator and part.argument is not None:
            value = yield from self._trimmed(value or "", part.operator, part.argument)
        if part.length:
            value = str(len(self.scope.positional) if part.name in "@*" else len(value or ""))
        self._add_value(fields, value or "", quoted=part.quoted)

    def _alternative(self, fields: _Fields, part: Parameter, operator: str, argument: Word) -> Steps:
        """What takes the place of a missing value (or, for +, of a present one)."""
        if operator == "?":
            message = yield from self.text(argument)
            raise ShellFault(f"{part.name}: {message or 'parameter null or not set'}")
        if operator == "=":
            value = yield from self.text(argument)
            self.scope.assign(part.name, value)
            self._add_value(fields, value, quoted=part.quoted)
        elif argument.parts:
            yield from self._alternative_parts(fields, argument)
        elif part.quoted:
            fields.add("", quoted=True)

    def _alternative_parts(self, fields: _Fields, argument: Word) -> Steps:
        """The argument's own quoting decides; unquoted text of it is split like a value."""
        for part in argument.parts:
            if isinstance(part, Literal) and not part.quoted:
                fields.add_split(part.text)
            else:
                yield from self._add_all(fields, (part,))

    def _trimmed(self, value: str, operator: str, argument: Word) -> Generator[Request, None, str]:
        pattern = yield from self.pattern(argument)
        remove = patterns.remove_prefix if operator[0] == "#" else patterns.remove_suffix
        return remove(value, pattern, longest=len(operator) == 2)

    def _joined(self) -> str:
        return " ".join(self.scope.positional)

    def _positional(self, fields: _Fields, part: Parameter) -> None:
        """`$@` and `$*`, quoted or not."""
        values = self.scope.positional
        if fields.separators is None or (part.quoted and part.name == "*"):
            glue = " " if part.name == "@" else self.scope.separators[:1]
            self._add_value(fields, glue.join(values), quoted=part.quoted)
            return
        for index, value in enumerate(values):
            if index:
                fields.end_field(always=part.quoted)
            self._add_value(fields, value, quoted=part.quoted)
