"""Modules whose tests change what all on a cluster depend on have it alone; read from their text, fixtures included."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2] / "tests"
CLUSTER_WIDE = {
    "disabled", "enabled_alone",  # gates
    "limits", "migrations",  # settings of migrations
    "occupied", "only",  # all free vGPUs of other nodes, and cordons of them
    "flags", "with_arguments", "stopped", "restart",  # of the operator
    "drained", "emptying",
}  # fmt: skip
"""Calls that change it, by the last part of their name."""


def functions(path):
    """Functions of a module by name, those in classes and in functions among them."""
    tree = ast.parse(path.read_text())
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def uses(function):
    """Fixtures that a function asks for by parameter."""
    return {argument.arg for argument in function.args.args}


def called(function):
    """Last parts of the names of everything that is called in a function."""
    found = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in found}


def cluster_wide(path):
    """Of the tests of a module: what they, or fixtures that they stand on, call that changes the cluster."""
    known = functions(path.parent / "conftest.py") | functions(path)
    seen = set()
    todo = [name for name in known if name.startswith("test_")]
    while todo:
        name = todo.pop()
        if name in known and name not in seen:
            seen.add(name)
            todo += uses(known[name])
    return set().union(*(called(known[name]) for name in seen)) & CLUSTER_WIDE


def has_it_alone(path):
    """Whether a mark of the module, or of one of its tests, says so."""
    return "mark.exclusive" in path.read_text()


@pytest.mark.parametrize("path", sorted(TESTS.rglob("test_*.py")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_who_changes_the_cluster_has_it_alone(path):
    assert has_it_alone(path) or not cluster_wide(path)


def test_changes_are_found_behind_fixtures():
    assert "disabled" in cluster_wide(TESTS / "mdev_vgpu_live_migration" / "test_feature_gate.py")
    assert "flags" in cluster_wide(TESTS / "eviction_concurrency" / "test_speed.py")
