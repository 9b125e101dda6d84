"""Parses the POSIX shell language into `lab.guests.shell.syntax`.

Written by hand: the general-purpose Bash grammar that was tried first accepts scripts and gets them silently wrong
(a continued line inside a word, `<<EOF … &`, arithmetic in here-documents), and a lab may refuse but not pretend.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from lab.guests.limits import MAX_SCRIPT
from lab.guests.shell.syntax import (
    AndOr,
    Background,
    Case,
    Command,
    For,
    Function,
    Group,
    If,
    Literal,
    Loop,
    Pipeline,
    Redirect,
    Redirected,
    Sequence,
    Simple,
    Word,
)
from lab.guests.shell.words import NAME, IncompleteError, ShellSyntaxError, WordReader, not_simulated

_BLANK = re.compile(r"(?:[ \t]|\\\n)+")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
_DESCRIPTOR = re.compile(r"[0-9]{1,4}(?=[<>])")
_BARE = re.compile(r"[^ \t\n;&|<>()'\"\\$`]+(?=[ \t\n;&|<>()]|\\\n|$)")
_FUNCTION = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*\([ \t]*\)")
_REST_OF_LINE = re.compile(r"(?:[^\n'\"\\]|\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\")*", re.DOTALL)
_OPERATORS = ("&&", "||", ";;", "&", "|", ";", "(", ")", "\n")
_REDIRECTIONS = ("<<<", "<<-", "<<", ">>", "<&", ">&", "<>", ">|", "<", ">")
_CLOSING = frozenset({"then", "else", "elif", "fi", "do", "done", "esac", "}"})
_REFUSED = frozenset({"[[", "function", "select", "time", "coproc"})


@lru_cache(maxsize=512)
def parse(text: str) -> Sequence:
    """The commands of a whole script.

    Raises ShellSyntaxError; IncompleteError when the text ends inside a construct.
    """
    if len(text) > MAX_SCRIPT:
        raise not_simulated(f"a script of more than {MAX_SCRIPT >> 10} KiB")
    return Parser(text).script()


class Parser(WordReader):
    """Recursive descent; each method reads the construct of its name."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._document_line = -1
        self._document_end = -1

    def script(self) -> Sequence:
        """Everything up to the end of the text."""
        sequence = self._sequence()
        if self.position < len(self.text):
            raise self._unexpected()
        return sequence

    def commands_until(self, closing: str) -> Sequence:
        sequence = self._sequence()
        self._expect(closing)
        return sequence

    def inner(self, text: str) -> Sequence:
        parser = Parser(text)
        parser.depth = self.depth
        return parser.script()

    def _sequence(self) -> Sequence:
        self.enter()
        commands: list[Command] = []
        self._skip_newlines()
        while self.position < len(self.text) and not self._at_closing():
            command = self._and_or()
            self._skip_blanks()
            if self._operator() == "&":
                self.position += 1
                command = Background(command)
            elif self._operator() == ";":
                self.position += 1
            elif self._operator() != "\n":
                commands.append(command)
                break
            commands.append(command)
            self._skip_newlines()
        self.depth -= 1
        return Sequence(tuple(commands))

    def _at_closing(self) -> bool:
        return self._operator() in (")", ";;") or self._bare() in _CLOSING

    def _and_or(self) -> Command:
        left = self._pipeline()
        while True:
            self._skip_blanks()
            operator = self._operator()
            if operator not in ("&&", "||"):
                return left
            self.position += 2
            self._skip_newlines()
            left = AndOr(left, operator, self._pipeline())

    def _pipeline(self) -> Command:
        negated = False
        while self._bare() == "!":
            self.position += 1
            self._skip_blanks()
            negated = not negated
        commands = [self._command()]
        self._skip_blanks()
        while self._operator() == "|":
            self.position += 1
            if self.at("&"):
                raise not_simulated("|&")
            self._skip_newlines()
            commands.append(self._command())
            self._skip_blanks()
        return Pipeline(tuple(commands), negated) if negated or len(commands) > 1 else commands[0]

    def _command(self) -> Command:
        compound = self._compound()
        if compound is None:
            return self._simple()
        redirects = tuple(self._redirects())
        return Redirected(compound, redirects) if redirects else compound

    def _compound(self) -> Command | None:
        bare = self._bare()
        if bare in _REFUSED:
            raise not_simulated(f"`{bare}'")
        if bare in _CLOSING:
            raise self._unexpected()
        if self.at("(("):
            raise not_simulated("(( … ))")
        readers: dict[str | None, Callable[[], Command]] = {
            "if": self._if,
            "while": self._loop,
            "until": self._loop,
            "for": self._for,
            "case": self._case,
        }
        if self.at("(") or bare == "{":
            return self._group()
        if bare in readers:
            self.enter()
            command: Command = readers[bare]()
            self.depth -= 1
            return command
        function = _FUNCTION.match(self.text, self.position)
        if function is not None:
            self.position = function.end()
            self._skip_newlines()
            return Function(function[1], self._command())
        return None

    def _group(self) -> Group:
        subshell = self.accept("(")
        if not subshell:
            self.position += 1
        return Group(self.commands_until(")" if subshell else "}"), subshell)

    def _if(self) -> If:
        branches: list[tuple[Sequence, Sequence]] = []
        while self._accept_bare("if" if not branches else "elif"):
            condition = self._block("then")
            branches.append((condition, self._body()))
        otherwise = self._body() if self._accept_bare("else") else None
        self._expect("fi")
        return If(tuple(branches), otherwise)

    def _loop(self) -> Loop:
        until = self._accept_bare("until")
        if not until:
            self._accept_bare("while")
        condition = self._block("do")
        return Loop(condition, self._block("done"), until)

    def _for(self) -> For:
        self._accept_bare("for")
        self._skip_blanks()
        name = NAME.match(self.text, self.position)
        if name is None:
            raise not_simulated("for ((…))") if self.at("((") else self._unexpected()
        self.position = name.end()
        self._skip_newlines()
        words: list[Word] | None = None
        if self._accept_bare("in"):
            words = []
            self._skip_blanks()
            while self._operator() is None and self.position < len(self.text):
                words.append(self.word())
                self._skip_blanks()
        if self._operator() == ";":
            self.position += 1
        self._skip_newlines()
        self._expect("do")
        return For(name[0], None if words is None else tuple(words), self._block("done"))

    def _case(self) -> Case:
        self._accept_bare("case")
        self._skip_blanks()
        subject = self.word()
        self._skip_newlines()
        self._expect("in")
        items: list[tuple[tuple[Word, ...], Sequence]] = []
        self._skip_newlines()
        while not self._accept_bare("esac"):
            items.append(self._case_item())
            self._skip_newlines()
        return Case(subject, tuple(items))

    def _case_item(self) -> tuple[tuple[Word, ...], Sequence]:
        self.accept("(")
        patterns: list[Word] = []
        while True:
            self._skip_blanks()
            if self.position >= len(self.text):
                raise IncompleteError("unexpected end of file in case")
            patterns.append(self.word())
            self._skip_blanks()
            if self.accept(")"):
                break
            if not self.accept("|"):
                raise self._unexpected()
        body = self._sequence()
        if self.accept(";;"):
            if self.at("&"):
                raise not_simulated(";;&")
        elif self._bare() != "esac":
            raise self._unexpected()
        return tuple(patterns), body

    def _simple(self) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            redirects += self._redirects()
            if self._operator() is not None or self.position >= len(self.text):
                break
            assignment = None if words else _ASSIGNMENT.match(self.text, self.position)
            if assignment is not None:
                if assignment[2]:
                    raise not_simulated("the assignment +=")
                self.position = assignment.end()
                assignments.append((assignment[1], self.word()))
                if self.at("("):
                    raise not_simulated("an array")
            else:
                words.append(self.word())
        if not (assignments or words or redirects):
            raise self._unexpected()
        return Simple(tuple(assignments), tuple(words), tuple(redirects))

    def _redirects(self) -> list[Redirect]:
        redirects: list[Redirect] = []
        while True:
            self._skip_blanks()
            number = _DESCRIPTOR.match(self.text, self.position)
            if number is not None:
                self.position = number.end()
            operator = next((token for token in _REDIRECTIONS if self.accept(token)), None)
            if operator is None:
                if self.at("&>"):
                    raise not_simulated("&>")
                return redirects
            if operator in ("<", ">") and self.at("("):
                raise not_simulated(f"process substitution {operator}(…)")
            descriptor = int(number[0]) if number is not None else int(operator.startswith(">"))
            self._skip_blanks()
            if operator in ("<<", "<<-"):
                redirects.append(Redirect(descriptor, "<<", self._here_document(strip=operator == "<<-")))
                continue
            target = self.word()
            if not target.parts:
                raise self._unexpected()
            if operator == "<<<":
                operator, target = "<<", Word((*target.parts, Literal("\n", quoted=True)))
            redirects.append(Redirect(descriptor, operator, target))

    def _here_document(self, *, strip: bool) -> Word:
        """Read the delimiter here and the text from the next line on (after the texts before it)."""
        delimiter = self.word()
        end_word = "".join(part.text for part in delimiter.parts if isinstance(part, Literal))
        literal = any(part.quoted for part in delimiter.parts)
        line_end = self._line_end()
        if line_end != self._document_line:
            self._document_line, self._document_end = line_end, line_end + 1
        lines: list[str] = []
        while True:
            if self._document_end >= len(self.text):
                raise IncompleteError(f"here-document delimited by end-of-file (wanted `{end_word}')")
            end = self.text.find("\n", self._document_end)
            end = len(self.text) if end < 0 else end
            line = self.text[self._document_end : end]
            line = line.lstrip("\t") if strip else line
            self._document_end = min(end + 1, len(self.text))
            if line == end_word:
                break
            lines.append(line + "\n")
        text = "".join(lines)
        return Word((Literal(text, quoted=True),)) if literal else Parser(text).document()

    def _line_end(self) -> int:
        """Where the present line ends, newlines in quotes not counted."""
        rest = _REST_OF_LINE.match(self.text, self.position)
        end = self.position if rest is None else rest.end()
        if end >= len(self.text):
            raise IncompleteError("unexpected end of file in a here-document")
        return end

    def _skip_blanks(self) -> None:
        """Blanks, continued lines and comments."""
        match = _BLANK.match(self.text, self.position)
        if match is not None:
            self.position = match.end()
        starts_token = self.position == 0 or self.text[self.position - 1] in " \t\n;&|()"
        if self.at("#") and starts_token:
            end = self.text.find("\n", self.position)
            self.position = len(self.text) if end < 0 else end

    def _skip_newlines(self) -> None:
        """Blanks and newlines; a here-document is skipped with the newline before it."""
        while True:
            self._skip_blanks()
            if not self.at("\n"):
                return
            self.position = self._document_end if self.position == self._document_line else self.position + 1

    def _operator(self) -> str | None:
        return next((operator for operator in _OPERATORS if self.at(operator)), None)

    def _bare(self) -> str | None:
        """The unquoted word here, as far as it may be a reserved one."""
        match = _BARE.match(self.text, self.position)
        return match[0] if match is not None else None

    def _accept_bare(self, word: str) -> bool:
        if self._bare() == word:
            self.position += len(word)
            return True
        return False

    def _block(self, closing: str) -> Sequence:
        """Commands, at least one, up to and including a closing word."""
        body = self._body()
        self._expect(closing)
        return body

    def _body(self) -> Sequence:
        sequence = self._sequence()
        if not sequence.commands:
            raise self._unexpected()
        return sequence

    def _expect(self, token: str) -> None:
        self._skip_blanks()
        accepted = self.accept(token) if token in _OPERATORS else self._accept_bare(token)
        if accepted:
            return
        raise self._unexpected()

    def _unexpected(self) -> ShellSyntaxError:
        if self.position >= len(self.text):
            return IncompleteError("syntax error: unexpected end of file")
        token = self._operator() or self._bare() or self.text[self.position]
        return ShellSyntaxError(f"syntax error near unexpected token `{'newline' if token == chr(10) else token}'")
