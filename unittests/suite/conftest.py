"""A tree of plans and tests that a test may change."""

import shutil

import pytest

from .processes import ROOT


@pytest.fixture
def tree(tmp_path):
    """A copy of plans and tests."""
    root = tmp_path / "tree"
    for name in ("stps", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, root)
    return root
