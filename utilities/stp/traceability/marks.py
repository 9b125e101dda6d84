"""Pytest marks read from syntax trees: decorators, pytestmark, pytest.param."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

SCENARIO = "scenario"
TIERS = ("tier1", "tier2", "tier3")


@dataclass(frozen=True, slots=True)
class Mark:
    """`pytest.mark.<name>(…)` on source line `line`; arguments that are no literal text stand as their source."""

    name: str
    arguments: tuple[str, ...] = ()
    nodes: tuple[ast.expr, ...] = ()
    keywords: Mapping[str, str] = field(default_factory=dict)
    line: int = 1


@dataclass(frozen=True, slots=True)
class ParameterSet:
    """An entry of a parametrize list.

    id: when it is written; marks: of its `pytest.param`; values: one a name, None for what is no literal.
    """

    id: str | None
    marks: tuple[Mark, ...]
    values: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameters:
    """A parametrize mark: its names and its sets; None when the list of sets is computed."""

    names: tuple[str, ...]
    sets: tuple[ParameterSet, ...] | None


@dataclass(frozen=True, slots=True)
class Names:
    """Module-level names bound to an expression, for marks and parameter lists kept in constants."""

    values: Mapping[str, ast.expr]

    def resolve(self, node: ast.expr) -> ast.expr:
        """What a name stands for, as far as this module tells; chains of names are followed, circles are not."""
        seen: set[str] = set()
        while isinstance(node, ast.Name) and node.id in self.values and node.id not in seen:
            seen.add(node.id)
            node = self.values[node.id]
        return node

    def text(self, node: ast.expr) -> str:
        """Literal text, or the source of the expression."""
        node = self.resolve(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        return ast.unparse(node)

    def elements(self, node: ast.expr) -> Sequence[ast.expr] | None:
        """The elements of a literal list, tuple or set; None for anything computed."""
        node = self.resolve(node)
        return node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else None


def names_in(module: ast.Module) -> Names:
    """The constants of a module."""
    values: dict[str, ast.expr] = {}
    for statement in module.body:
        if isinstance(statement, ast.Assign):
            values.update({target.id: statement.value for target in statement.targets if isinstance(target, ast.Name)})
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            values[statement.target.id] = statement.value
    return Names(values)


def marks_in(nodes: Sequence[ast.expr], names: Names) -> tuple[Mark, ...]:
    """The marks among decorators or the elements of a pytestmark."""
    return tuple(mark for node in nodes for mark in _marks(node, names))


def pytestmarks_in(body: Sequence[ast.stmt], names: Names) -> tuple[Mark, ...]:
    """The marks of `pytestmark = …` in a module or class body."""
    return tuple(
        mark
        for statement in body
        if isinstance(statement, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in statement.targets)
        for mark in _marks(statement.value, names)
    )


def scenario_ids(marks: Sequence[Mark]) -> tuple[str, ...]:
    """What `scenario` marks name, in order, once each."""
    return tuple(dict.fromkeys(name for mark in marks if mark.name == SCENARIO for name in mark.arguments))


def tiers(marks: Sequence[Mark]) -> tuple[str, ...]:
    """The tier marks among them."""
    present = {mark.name for mark in marks}
    return tuple(name for name in TIERS if name in present)


def severity(decorators: Sequence[ast.expr]) -> str | None:
    """`@allure.severity(allure.severity_level.CRITICAL)` as "critical"."""
    for node in decorators:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "severity":
            argument = node.args[0] if node.args else None
            if isinstance(argument, ast.Attribute):
                return argument.attr.lower()
            if isinstance(argument, ast.Constant):
                return str(argument.value).lower()
    return None


def parameters(mark: Mark, names: Names) -> Parameters:
    """The names and sets of a parametrize mark."""
    written = names.text(mark.nodes[0]) if mark.nodes else ""
    listed = names.elements(mark.nodes[0]) if mark.nodes else None
    called = tuple(names.text(each) for each in listed) if listed is not None else _split(written)
    elements = names.elements(mark.nodes[1]) if len(mark.nodes) > 1 else None
    if elements is None or any(isinstance(element, ast.Starred) for element in elements):
        return Parameters(called, None)
    return Parameters(called, tuple(_parameter_set(names.resolve(each), len(called), names) for each in elements))


def literal(node: ast.expr, names: Names) -> str | None:
    """What a literal reads as in a test id, None for anything computed."""
    node = names.resolve(node)
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, str) else repr(value)


def _split(written: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in written.split(",") if name.strip())


def _parameter_set(node: ast.expr, count: int, names: Names) -> ParameterSet:
    if not (isinstance(node, ast.Call) and _last(node.func) == "param"):
        elements = [node] if count == 1 else names.elements(node) or ()
        return ParameterSet(None, (), tuple(literal(element, names) for element in elements))
    arguments = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    written = arguments.get("id")
    marks = tuple(_marks(arguments["marks"], names)) if "marks" in arguments else ()
    values = tuple(literal(argument, names) for argument in node.args)
    return ParameterSet(names.text(written) if written is not None else None, marks, values)


def _marks(node: ast.expr, names: Names) -> Iterator[Mark]:
    elements = names.elements(node)
    if elements is not None:
        for element in elements:
            yield from _marks(element, names)
        return
    node = names.resolve(node)
    arguments: Sequence[ast.expr] = ()
    keywords: dict[str, str] = {}
    if isinstance(node, ast.Call):
        arguments = node.args
        keywords = {keyword.arg: names.text(keyword.value) for keyword in node.keywords if keyword.arg}
        node = node.func
    if isinstance(node, ast.Attribute) and _last(node.value) == "mark":
        told = tuple(names.text(argument) for argument in arguments)
        yield Mark(node.attr, told, tuple(arguments), keywords, node.lineno)


def _last(node: ast.expr) -> str:
    """`param` of `pytest.param` and of `param`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def is_quarantine(mark: Mark) -> bool:
    """Whether a mark keeps a test from running until an issue is solved (sheet §4.2)."""
    return mark.name in ("xfail", "jira") and mark.keywords.get("run") == "False"
