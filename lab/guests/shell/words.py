"""Reads the words of a shell script: quoting, parameters, substitutions, arithmetic, here-documents."""

import re
from abc import ABC, abstractmethod

from lab.guests.shell.syntax import Arithmetic, Literal, Parameter, Part, Sequence, Substitution, Word

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL_PARAMETERS = "@*#?$!-"
_WORD_END = " \t\n;&|<>()"
_PLAIN = re.compile(r"[^ \t\n;&|<>()'\"\\$`]+")
_PLAIN_IN_QUOTES = re.compile(r"[^\"\\$`]+")
_PLAIN_IN_DOCUMENT = re.compile(r"[^\\$`]+")
_BRACE_EXPANSION = re.compile(r"\{[^{}]*(,|\.\.)[^{}]*\}")
_PATTERN_OPERATORS = ("%%", "%", "##", "#")
_VALUE_OPERATORS = (":-", ":=", ":?", ":+", "-", "=", "?", "+")
_MAX_DEPTH = 30


class ShellSyntaxError(Exception):
    """The script cannot be run: it is wrong, or uses what is not simulated; the message names the construct."""


class IncompleteError(ShellSyntaxError):
    """The script ends inside a construct: more lines may complete it."""


def not_simulated(construct: str) -> ShellSyntaxError:
    """The error for syntax that a real shell knows and this one does not."""
    return ShellSyntaxError(f"{construct} is not simulated")


class WordReader(ABC):
    """A position in the text of a script, and what can be read there as part of a word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0

    @abstractmethod
    def commands_until(self, closing: str) -> Sequence:
        """Read commands up to and including the closing token."""

    @abstractmethod
    def inner(self, text: str) -> Sequence:
        """Read another text as a whole script."""

    def at(self, token: str) -> bool:
        """Whether the text goes on with `token`."""
        return self.text.startswith(token, self.position)

    def accept(self, token: str) -> bool:
        """Step over `token` if it is next."""
        if self.at(token):
            self.position += len(token)
            return True
        return False

    def enter(self) -> None:
        """Go one construct deeper; the caller leaves by `depth -= 1`."""
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise not_simulated(f"nesting deeper than {_MAX_DEPTH}")

    def word(self) -> Word:
        """The word here, which may be empty."""
        parts: list[Part] = []
        while self.position < len(self.text) and self.text[self.position] not in _WORD_END:
            parts += self._unquoted(_PLAIN)
        word = Word(tuple(parts))
        for part in word.parts:
            if isinstance(part, Literal) and not part.quoted and _BRACE_EXPANSION.search(part.text):
                raise not_simulated(f"brace expansion {part.text}")
        return word

    def document(self) -> Word:
        """The rest of the text as a here-document with expansions."""
        parts: list[Part] = []
        while self.position < len(self.text):
            parts += self._in_quotes(_PLAIN_IN_DOCUMENT, escapes="$`\\")
        return Word(tuple(parts))

    def _unquoted(self, plain: re.Pattern[str]) -> list[Part]:
        """What starts here outside quotes."""
        character = self.text[self.position]
        if character == "'":
            return [Literal(self._single_quoted(), quoted=True)]
        if character == '"':
            return self._double_quoted()
        if character == "\\":
            self.position += 2
            following = self.text[self.position - 1 : self.position]
            if not following:
                raise IncompleteError("unexpected end of file after \\")
            return [] if following == "\n" else [Literal(following, quoted=True)]
        if character in "$`":
            return [self._expansion(quoted=False)]
        match = plain.match(self.text, self.position)
        if match is None:
            self.position += 1
            return [Literal(character)]
        self.position = match.end()
        return [Literal(match[0])]

    def _in_quotes(self, plain: re.Pattern[str], escapes: str) -> list[Part]:
        """What starts here inside double quotes or a here-document."""
        character = self.text[self.position]
        if character == "\\":
            following = self.text[self.position + 1 : self.position + 2]
            self.position += 2
            if following == "\n":
                return []
            return [Literal(following if following and following in escapes else "\\" + following, quoted=True)]
        if character in "$`":
            return [self._expansion(quoted=True)]
        match = plain.match(self.text, self.position)
        if match is None:
            self.position += 1
            return [Literal(character, quoted=True)]
        self.position = match.end()
        return [Literal(match[0], quoted=True)]

    def _single_quoted(self) -> str:
        end = self.text.find("'", self.position + 1)
        if end < 0:
            raise IncompleteError("unexpected end of file while looking for matching `''")
        start, self.position = self.position + 1, end + 1
        return self.text[start:end]

    def _double_quoted(self) -> list[Part]:
        """The parts of "…"; empty quotes are an empty quoted text, so that the word does not vanish."""
        self.position += 1
        parts: list[Part] = []
        while not self.accept('"'):
            if self.position >= len(self.text):
                raise IncompleteError("unexpected end of file while looking for matching `\"'")
            parts += self._in_quotes(_PLAIN_IN_QUOTES, escapes='$`"\\')
        return parts or [Literal("", quoted=True)]

    def _expansion(self, *, quoted: bool) -> Part:
        """What follows `$` or a backquote."""
        if self.at("`"):
            return self._backquoted(quoted=quoted)
        self.position += 1
        if self.accept("(("):
            return Arithmetic(self._arithmetic(), quoted)
        if self.accept("("):
            self.enter()
            body = self.commands_until(")")
            self.depth -= 1
            return Substitution(body, quoted)
        if self.accept("{"):
            return self._braced(quoted=quoted)
        character = self.text[self.position : self.position + 1]
        if character and (character in _SPECIAL_PARAMETERS or character.isdigit()):
            self.position += 1
            return Parameter(character, quoted)
        match = NAME.match(self.text, self.position)
        if match is not None:
            self.position = match.end()
            return Parameter(match[0], quoted)
        if not quoted and character in ("'", '"'):
            raise not_simulated(f"${character}…{character} quoting")
        return Literal("$", quoted=True)

    def _backquoted(self, *, quoted: bool) -> Substitution:
        start = end = self.position + 1
        while self.text[end : end + 1] != "`":
            if end >= len(self.text):
                raise IncompleteError("unexpected end of file while looking for matching ``'")
            end += 2 if self.text[end] == "\\" else 1
        self.position = end + 1
        inner = re.sub(r'\\([$`\\"])' if quoted else r"\\([$`\\])", r"\1", self.text[start:end])
        self.enter()
        body = self.inner(inner)
        self.depth -= 1
        return Substitution(body, quoted)

    def _arithmetic(self) -> Word:
        """Up to the `))` that closes the expression."""
        parts: list[Part] = []
        depth = 0
        while True:
            if self.position >= len(self.text):
                raise IncompleteError("unexpected end of file in $((…))")
            character = self.text[self.position]
            if character == ")" and depth == 0:
                if not self.accept("))"):
                    raise ShellSyntaxError("missing `))' after $((")
                return Word(tuple(parts))
            if character in "$`":
                parts.append(self._expansion(quoted=True))
                continue
            depth += (character == "(") - (character == ")")
            self.position += 1
            last = parts[-1] if parts else None
            if character == '"':
                continue
            if isinstance(last, Literal):
                parts[-1] = Literal(last.text + character, quoted=True)
            else:
                parts.append(Literal(character, quoted=True))

    def _braced(self, *, quoted: bool) -> Parameter:
        """The inside of `${…}`."""
        start = self.position - 2
        if self.at("#") and not self.at("#}"):
            self.position += 1
            name = self._parameter_name(start)
            if not self.accept("}"):
                raise self._strange(start)
            return Parameter(name, quoted, length=True)
        name = self._parameter_name(start)
        if self.accept("}"):
            return Parameter(name, quoted)
        for operator in _PATTERN_OPERATORS + _VALUE_OPERATORS:
            if self.accept(operator):
                pattern = operator in _PATTERN_OPERATORS
                return Parameter(name, quoted, operator, self._braced_word(quoted=quoted and not pattern))
        raise self._strange(start)

    def _parameter_name(self, start: int) -> str:
        match = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\d+|[@*#?$!-]").match(self.text, self.position)
        if match is None:
            raise self._strange(start)
        self.position = match.end()
        return match[0]

    def _strange(self, start: int) -> ShellSyntaxError:
        end = self.text.find("}", start)
        if end < 0:
            return IncompleteError("unexpected end of file while looking for matching `}'")
        return not_simulated(f"the expansion {self.text[start : end + 1]}")

    def _braced_word(self, *, quoted: bool) -> Word:
        """The argument of an operator, up to the closing brace."""
        self.enter()
        parts: list[Part] = []
        while not self.accept("}"):
            if self.position >= len(self.text):
                raise IncompleteError("unexpected end of file while looking for matching `}'")
            if quoted and not self.at('"'):
                parts += self._in_quotes(re.compile(r"[^\"\\$`}]+"), escapes='$`"\\}')
            else:
                parts += self._unquoted(re.compile(r"[^'\"\\$`}]+"))
        self.depth -= 1
        return Word(tuple(parts))
