"""The marks that pytest knows, by reading its configuration and the plugins of the repository.

Read are `markers` of pyproject.toml, pytest.ini, tox.ini and setup.cfg, and calls of `addinivalue_line("markers", …)`
in conftest.py and in the packages that `pytest_plugins` names.
"""

import ast
import configparser
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from utilities.stp.errors import StpError
from utilities.stp.traceability.cases import parsed, read_python, shown
from utilities.stp.traceability.marks import Names, names_in

_BUILT_IN = ("filterwarnings", "parametrize", "skip", "skipif", "tryfirst", "trylast", "usefixtures", "xfail")
_OF_PLUGINS = ("allure_display_name", "allure_label", "allure_link", "dependency", "xdist_group")
"""Registered by the plugins that the suite depends on: allure-pytest, pytest-dependency, pytest-xdist."""
_NAME = re.compile(r"\s*(\w+)")
_INI_FILES = (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))


def registered_marks(root: Path) -> frozenset[str] | None:
    """Names of the marks registered in the repository at `root`, None when there is no configuration to read.

    Raises StpError when a file of it cannot be read.
    """
    sources = ("pyproject.toml", "conftest.py", *(name for name, _ in _INI_FILES))
    if not any((root / name).is_file() for name in sources):
        return None
    lines = [*_from_toml(root / "pyproject.toml"), *_from_ini(root), *_from_plugins(root)]
    names = (match[1] for line in lines if (match := _NAME.match(line)))
    return frozenset((*_BUILT_IN, *_OF_PLUGINS, *names))


def _from_toml(file: Path) -> Iterator[str]:
    if not file.is_file():
        return
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise StpError(f"{file}:1: cannot read: {error}", next_step="correct the file") from error
    options = document.get("tool", {}).get("pytest", {}).get("ini_options", {})
    markers = options.get("markers", [])
    yield from markers.splitlines() if isinstance(markers, str) else map(str, markers)


def _from_ini(root: Path) -> Iterator[str]:
    for name, section in _INI_FILES:
        parser = configparser.ConfigParser(interpolation=None)
        try:
            parser.read(root / name, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError) as error:
            raise StpError(f"{root / name}:1: cannot read: {error}", next_step="correct the file") from error
        yield from parser.get(section, "markers", fallback="").splitlines()


def _from_plugins(root: Path) -> Iterator[str]:
    for file in _sources(root):
        module = parsed(read_python(file, root), shown(file, root))
        yield from _registered(module, names_in(module))


def _sources(root: Path) -> Iterator[Path]:
    """conftest.py of the repository, and the modules of the packages its `pytest_plugins` names."""
    conftest = root / "conftest.py"
    if not conftest.is_file():
        return
    yield conftest
    names = names_in(parsed(read_python(conftest, root), shown(conftest, root)))
    listed = names.values.get("pytest_plugins")
    elements: Sequence[ast.expr] = (names.elements(listed) or (listed,)) if listed is not None else ()
    for element in elements:
        path = root.joinpath(*names.text(element).split("."))
        yield from sorted(path.glob("*.py")) if path.is_dir() else filter(Path.is_file, (path.with_suffix(".py"),))


def _registered(module: ast.Module, names: Names) -> Iterator[str]:
    """The lines added; a loop over a constant gives one line an element."""
    loops: Mapping[str, ast.expr] = {
        node.target.id: node.iter
        for node in ast.walk(module)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name)
    }
    for node in ast.walk(module):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 2):
            continue
        if node.func.attr == "addinivalue_line" and names.text(node.args[0]) == "markers":
            line = node.args[1]
            source = loops.get(line.id) if isinstance(line, ast.Name) else None
            elements = names.elements(source) if source is not None else None
            yield from (names.text(each) for each in (elements or (line,)))
