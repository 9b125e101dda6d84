"""Claims of tests by reading their source.  Nothing is imported, so a broken test is read as well as a good one."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from utilities.stp.errors import StpError
from utilities.stp.source import decoded
from utilities.stp.traceability.claims import Claim
from utilities.stp.traceability.descriptions import claim_docstring
from utilities.stp.traceability.marks import (
    Mark,
    Names,
    ParameterSet,
    marks_in,
    names_in,
    parameter_sets,
    pytestmarks_in,
    scenario_ids,
    severity,
    tiers,
)

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _Scope:
    """What a test inherits: node id so far, docstrings from the inside out, marks, whether it is collected."""

    node: str
    docstrings: tuple[str, ...]
    marks: tuple[Mark, ...]
    severity: str | None
    collected: bool
    path: str
    names: Names


def read_claims(paths: Iterable[Path], root: Path) -> tuple[Claim, ...]:
    """The claims of every test file in `paths` (files or folders), with paths relative to `root`.

    Raises StpError naming file and line when a file cannot be read or is no Python.
    """
    return tuple(claim for path in paths for file in test_files(path) for claim in _claims_of_file(file, root))


def test_files(path: Path) -> Iterator[Path]:
    """The test files below a folder, by pytest's naming, in order; a file is taken whatever its name."""
    if not path.is_dir():
        yield path
        return
    yield from sorted({*path.rglob("test_*.py"), *path.rglob("*_test.py")})


def _claims_of_file(file: Path, root: Path) -> Iterator[Claim]:
    name = file.relative_to(root).as_posix() if file.is_relative_to(root) else file.as_posix()
    try:
        text = decoded(file.read_bytes(), Path(name))
    except OSError as error:
        raise StpError(f"{name}:1: cannot read: {error.strerror or error}", next_step="check the path") from error
    yield from claims_in(text, name)


def claims_in(text: str, name: str) -> tuple[Claim, ...]:
    """The claims in the text of one file.  Raises StpError when it is no Python."""
    try:
        module = ast.parse(text, name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = (error.lineno if isinstance(error, SyntaxError) else None) or 1
        raise StpError(f"{name}:{line}: no Python: {error}", next_step="make the file importable first") from error
    names = names_in(module)
    scope = _Scope(
        node=name,
        docstrings=(ast.get_docstring(module) or "",),
        marks=pytestmarks_in(module.body, names),
        severity=None,
        collected=not _switched_off(module.body, "__test__"),
        path=name,
        names=names,
    )
    return tuple(_claims(module.body, scope))


def _claims(body: Sequence[ast.stmt], scope: _Scope) -> Iterator[Claim]:
    for statement in body:
        if isinstance(statement, ast.ClassDef) and statement.name.startswith("Test"):
            yield from _claims(statement.body, _inside(statement, scope))
        elif isinstance(statement, _Function) and statement.name.startswith("test_"):
            collected = scope.collected and not _switched_off(body, f"{statement.name}.__test__")
            yield from _claims_of_test(statement, replace(scope, collected=collected))


def _inside(statement: ast.ClassDef, scope: _Scope) -> _Scope:
    own = marks_in(statement.decorator_list, scope.names) + pytestmarks_in(statement.body, scope.names)
    return replace(
        scope,
        node=f"{scope.node}::{statement.name}",
        docstrings=(ast.get_docstring(statement) or "", *scope.docstrings),
        marks=scope.marks + own,
        severity=severity(statement.decorator_list) or scope.severity,
        collected=scope.collected and not _switched_off(statement.body, "__test__"),
    )


def _claims_of_test(test: _Function, scope: _Scope) -> Iterator[Claim]:
    """One claim, or one per parameter set that carries scenario marks of its own."""
    marks = marks_in(test.decorator_list, scope.names) + scope.marks
    description = claim_docstring(ast.get_docstring(test) or "", *scope.docstrings)
    claim = Claim(
        test_id=f"{scope.node}::{test.name}",
        scenario_ids=scenario_ids(marks),
        plan_path=description.plan_path,
        tiers=tiers(marks),
        negative=description.negative,
        implemented=scope.collected and _has_body(test),
        severity=severity(test.decorator_list) or scope.severity,
        description=description.text,
        path=scope.path,
        line=test.lineno,
    )
    unmarked = True
    for mark in marks:
        if mark.name != "parametrize":
            continue
        sets = parameter_sets(mark, scope.names)
        yield from (_of_set(claim, number, each) for number, each in enumerate(sets) if scenario_ids(each.marks))
        unmarked = unmarked and any(not scenario_ids(each.marks) for each in sets)
    if unmarked:
        yield claim


def _of_set(claim: Claim, number: int, each: ParameterSet) -> Claim:
    return replace(
        claim,
        test_id=f"{claim.test_id}[{each.id or number}]",
        scenario_ids=tuple(dict.fromkeys((*scenario_ids(each.marks), *claim.scenario_ids))),
        tiers=tuple(dict.fromkeys((*tiers(each.marks), *claim.tiers))),
    )


def _has_body(test: _Function) -> bool:
    """Anything beyond docstring, `pass` and `...`."""
    return any(
        not isinstance(statement, ast.Pass)
        and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in test.body
    )


def _switched_off(body: Sequence[ast.stmt], target: str) -> bool:
    """Whether `<target> = False` stands in the body."""
    return any(
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and statement.value.value is False
        and any(ast.unparse(each) == target for each in statement.targets)
        for statement in body
    )
