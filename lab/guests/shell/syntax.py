"""The syntax tree of a shell script: immutable, parsed once and shared by all that run it."""

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Literal:
    """Plain text; quoted text is neither split nor taken for a pattern."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$name` and `${name<operator><argument>}`; `length` is `${#name}`."""

    name: str
    quoted: bool
    operator: str = ""
    argument: "Word | None" = None
    length: bool = False

    @property
    def plain(self) -> bool:
        """Whether it is nothing but the value of one parameter."""
        return not (self.operator or self.length or self.name in ("@", "*"))


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(…)` or backquotes."""

    body: "Sequence"
    quoted: bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$((…))`; the expression is a word because parameters in it are expanded first."""

    expression: "Word"
    quoted: bool


Part: TypeAlias = Literal | Parameter | Substitution | Arithmetic


@dataclass(frozen=True, slots=True)
class Word:
    """Parts that stand together. `constant` is the text when nothing in it needs expanding or matching."""

    parts: tuple[Part, ...]
    constant: str | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if all(isinstance(part, Literal) and (part.quoted or not _special(part.text)) for part in self.parts):
            text = "".join(part.text for part in self.parts if isinstance(part, Literal))
            object.__setattr__(self, "constant", text)


def _special(text: str) -> bool:
    return any(character in text for character in "*?[") or text.startswith("~")


@dataclass(frozen=True, slots=True)
class Redirect:
    """`descriptor operator target`; operators: < > >> <> >| <& >& and << (target is the here-document's text)."""

    descriptor: int
    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """Assignments, a command with its arguments, redirections; each may be missing.

    `constant` are the arguments when none needs expanding; `lone_program` the same when there is nothing else.
    """

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()
    constant: tuple[str, ...] | None = field(init=False, default=None)
    lone_program: tuple[str, ...] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        constants = tuple(word.constant for word in self.words if word.constant is not None)
        if len(constants) == len(self.words):
            object.__setattr__(self, "constant", constants)
            if not (self.assignments or self.redirects):
                object.__setattr__(self, "lone_program", constants)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by `|`, or a single negated one."""

    commands: tuple["Command", ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AndOr:
    """`left && right` or `left || right`."""

    left: "Command"
    operator: str
    right: "Command"


@dataclass(frozen=True, slots=True)
class Background:
    """`command &`."""

    command: "Command"


@dataclass(frozen=True, slots=True)
class Sequence:
    """Commands one after the other."""

    commands: tuple["Command", ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """`while` or `until`."""

    condition: Sequence
    body: Sequence
    until: bool


@dataclass(frozen=True, slots=True)
class If:
    """Pairs of condition and body, and the `else` body."""

    branches: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None


@dataclass(frozen=True, slots=True)
class For:
    """`for name in words`; words None stands for "$@"."""

    name: str
    words: tuple[Word, ...] | None
    body: Sequence


@dataclass(frozen=True, slots=True)
class Case:
    """`case subject in patterns) body;; … esac`."""

    subject: Word
    items: tuple[tuple[tuple[Word, ...], Sequence], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """`{ …; }`, or `( … )` when it runs in a subshell."""

    body: Sequence
    subshell: bool


@dataclass(frozen=True, slots=True)
class Function:
    """`name() body`."""

    name: str
    body: "Command"


@dataclass(frozen=True, slots=True)
class Redirected:
    """A compound command with redirections."""

    command: "Command"
    redirects: tuple[Redirect, ...]


Command: TypeAlias = (
    Simple | Pipeline | AndOr | Background | Sequence | Loop | If | For | Case | Group | Function | Redirected
)
