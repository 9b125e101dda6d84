"""One test function as its source describes it: docstrings, marks and parameters on every level.

Nothing is imported, so a broken test is read as well as a good one.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from utilities.stp.errors import StpError
from utilities.stp.source import decoded
from utilities.stp.traceability.descriptions import Description, describe
from utilities.stp.traceability.marks import (
    Mark,
    Names,
    Parameters,
    marks_in,
    names_in,
    parameters,
    pytestmarks_in,
    severity,
)

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Docstring:
    """A docstring as written; `line` is the source line that line 1 of its description stands on."""

    text: str
    line: int
    description: Description


@dataclass(frozen=True, slots=True)
class Level:
    """A test function, class or module: its docstring, its own marks, whether pytest may collect it."""

    docstring: Docstring | None
    marks: tuple[Mark, ...]
    collected: bool


@dataclass(frozen=True, slots=True)
class Case:
    """A test.

    node: `path::Class::function`; levels: the test, its classes from inside out, the module; arguments: what it asks
    for by name; body: it does something; skips: lines that call pytest.skip; first to last: its lines, decorators
    included; line: where its name stands; severity: a hand-written Allure severity.
    """

    node: str
    path: str
    line: int
    first: int
    last: int
    levels: tuple[Level, ...]
    arguments: tuple[str, ...]
    body: bool
    skips: tuple[int, ...]
    severity: str | None
    parameters: tuple[Parameters, ...]

    @property
    def own(self) -> Description:
        """The description in its own docstring; an empty one when it has none."""
        docstring = self.levels[0].docstring
        return docstring.description if docstring is not None else describe("")

    @property
    def docstrings(self) -> Iterator[Docstring]:
        """From the inside out."""
        yield from (level.docstring for level in self.levels if level.docstring is not None)

    @property
    def plan_path(self) -> str | None:
        """The plan link of the innermost docstring that has any."""
        return next((each.description.plan_path for each in self.docstrings if each.description.plan_path), None)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Its marks, its own first, then the outermost level's."""
        own, *outer = self.levels
        return own.marks + tuple(mark for level in reversed(outer) for mark in level.marks)

    @property
    def collected(self) -> bool:
        """No level is switched off with `__test__ = False`."""
        return all(level.collected for level in self.levels)


def test_files(path: Path) -> Iterator[Path]:
    """The test files below a folder, by pytest's naming, in order; a file is taken whatever its name."""
    if not path.is_dir():
        yield path
        return
    yield from sorted({*path.rglob("test_*.py"), *path.rglob("*_test.py")})


def read_cases(paths: Iterable[Path], root: Path) -> tuple[Case, ...]:
    """The tests in every test file of `paths` (files or folders), with paths relative to `root`.

    Raises StpError naming file and line when a file cannot be read or is no Python.
    """
    return tuple(
        case
        for path in paths
        for file in test_files(path)
        for case in cases_in(read_python(file, root), shown(file, root))
    )


def shown(file: Path, root: Path) -> str:
    """A file's path as it is shown: relative to `root` where it can be."""
    return file.relative_to(root).as_posix() if file.is_relative_to(root) else file.as_posix()


def read_python(file: Path, root: Path) -> str:
    """The text of a Python file.  Raises StpError when it cannot be read."""
    name = shown(file, root)
    try:
        return decoded(file.read_bytes(), Path(name))
    except OSError as error:
        raise StpError(f"{name}:1: cannot read: {error.strerror or error}", next_step="check the path") from error


def parsed(text: str, name: str) -> ast.Module:
    """The syntax tree of a file.  Raises StpError when it is no Python."""
    try:
        return ast.parse(text, name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = (error.lineno if isinstance(error, SyntaxError) else None) or 1
        raise StpError(f"{name}:{line}: no Python: {error}", next_step="make the file importable first") from error


def cases_in(text: str, name: str) -> tuple[Case, ...]:
    """The tests in the text of one file.  Raises StpError when it is no Python."""
    module = parsed(text, name)
    names = names_in(module)
    level = Level(_docstring(module), pytestmarks_in(module.body, names), not _switched_off(module.body, "__test__"))
    return tuple(_cases(module.body, _Scope(name, name, (level,), None, names)))


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a test stands: node id so far, the levels from inside out, the severity of its class."""

    node: str
    path: str
    levels: tuple[Level, ...]
    severity: str | None
    names: Names


def _cases(body: Sequence[ast.stmt], scope: _Scope) -> Iterator[Case]:
    for statement in body:
        if isinstance(statement, ast.ClassDef) and statement.name.startswith("Test"):
            yield from _cases(statement.body, _inside(statement, scope))
        elif isinstance(statement, _Function) and statement.name.startswith("test_"):
            yield _case(statement, scope, collected=not _switched_off(body, f"{statement.name}.__test__"))


def _inside(statement: ast.ClassDef, scope: _Scope) -> _Scope:
    level = Level(
        _docstring(statement),
        marks_in(statement.decorator_list, scope.names) + pytestmarks_in(statement.body, scope.names),
        not _switched_off(statement.body, "__test__"),
    )
    return replace(
        scope,
        node=f"{scope.node}::{statement.name}",
        levels=(level, *scope.levels),
        severity=severity(statement.decorator_list) or scope.severity,
    )


def _case(test: _Function, scope: _Scope, *, collected: bool) -> Case:
    level = Level(_docstring(test), marks_in(test.decorator_list, scope.names), collected)
    case = Case(
        node=f"{scope.node}::{test.name}",
        path=scope.path,
        line=test.lineno,
        first=min((decorator.lineno for decorator in test.decorator_list), default=test.lineno),
        last=test.end_lineno or test.lineno,
        levels=(level, *scope.levels),
        arguments=tuple(each.arg for each in (*test.args.args, *test.args.kwonlyargs) if each.arg != "self"),
        body=_has_body(test),
        skips=tuple(_skips(test)),
        severity=severity(test.decorator_list) or scope.severity,
        parameters=(),
    )
    sets = tuple(parameters(mark, scope.names) for mark in case.marks if mark.name == "parametrize")
    return replace(case, parameters=sets)


def _docstring(node: _Documented) -> Docstring | None:
    text = ast.get_docstring(node, clean=False)
    first = node.body[0] if node.body else None
    if text is None or first is None:
        return None
    blank = len(text) - len(text.lstrip()) if text.strip() else 0
    return Docstring(text, first.lineno + text.count("\n", 0, blank), describe(text))


def _has_body(test: _Function) -> bool:
    """Anything beyond docstring, `pass` and `...`."""
    return any(
        not isinstance(statement, ast.Pass)
        and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in test.body
    )


def _skips(test: _Function) -> Iterator[int]:
    for statement in test.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("pytest.skip", "pytest.importorskip"):
                yield node.lineno


def _switched_off(body: Sequence[ast.stmt], target: str) -> bool:
    """Whether `<target> = False` stands in the body."""
    return any(
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and statement.value.value is False
        and any(ast.unparse(each) == target for each in statement.targets)
        for statement in body
    )
