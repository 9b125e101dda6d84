"""Parametrized fixtures in reach of a test, by reading its module and the conftest.py files above it."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from utilities.stp.traceability.cases import Case, parsed, read_python, shown
from utilities.stp.traceability.marks import Names, literal, names_in

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Fixture:
    """A fixture: what it asks for, and its parameters as they read in a test id; None when they are computed."""

    arguments: tuple[str, ...]
    parameters: tuple[str, ...] | None


@dataclass(slots=True)
class Fixtures:
    """The fixtures of the files below `root`, each file read once.

    A fixture that is defined elsewhere (in a plugin) is unknown here and taken for one without parameters.
    """

    root: Path
    _files: dict[Path, Mapping[str, Fixture]] = field(default_factory=dict)

    def parameters(self, case: Case) -> tuple[str, ...] | None:
        """The parameters that a test meets through its fixtures; None when some of them cannot be told.

        Raises StpError when a conftest.py cannot be read.
        """
        found: list[str] = []
        known = self._reach(case)
        waiting, seen = list(case.arguments), set(case.arguments)
        while waiting:
            fixture = known.get(waiting.pop())
            if fixture is None:
                continue
            if fixture.parameters is None:
                return None
            found += fixture.parameters
            waiting += (name for name in fixture.arguments if name not in seen)
            seen.update(fixture.arguments)
        return tuple(found)

    def _reach(self, case: Case) -> dict[str, Fixture]:
        """Every fixture by name; the nearest definition wins."""
        file = self.root / case.path
        folders = [folder for folder in reversed(file.parents) if folder == self.root or self.root in folder.parents]
        known: dict[str, Fixture] = {}
        for source in (*(folder / "conftest.py" for folder in folders), file):
            known.update(self._fixtures(source))
        return known

    def _fixtures(self, file: Path) -> Mapping[str, Fixture]:
        if file not in self._files:
            there = file.is_file()
            self._files[file] = fixtures_in(read_python(file, self.root), shown(file, self.root)) if there else {}
        return self._files[file]


def fixtures_in(text: str, name: str) -> Mapping[str, Fixture]:
    """The fixtures in the text of one file, by the name that tests ask for."""
    module = parsed(text, name)
    names = names_in(module)
    return dict(_fixtures(module.body, names))


def _fixtures(body: Sequence[ast.stmt], names: Names) -> Iterator[tuple[str, Fixture]]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _fixtures(statement.body, names)
        elif isinstance(statement, _Function):
            for decorator in statement.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if ast.unparse(called) in ("pytest.fixture", "fixture"):
                    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
                    yield _fixture(statement, {each.arg: each.value for each in keywords if each.arg}, names)


def _fixture(function: _Function, keywords: Mapping[str, ast.expr], names: Names) -> tuple[str, Fixture]:
    arguments = tuple(each.arg for each in (*function.args.args, *function.args.kwonlyargs))
    called = names.text(keywords["name"]) if "name" in keywords else function.name
    if "params" not in keywords:
        return called, Fixture(arguments, ())
    listed = names.elements(keywords["params"])
    values = [literal(element, names) for element in listed] if listed is not None else [None]
    known = tuple(value for value in values if value is not None)
    return called, Fixture(arguments, known if len(known) == len(values) else None)
