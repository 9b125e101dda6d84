"""Turns on a shared cluster: what the site offers is counted within them, and anew in each."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from utilities.errors import Blocked
from utilities.plugin import turns
from utilities.plugin.sites import SITE, Actors, OpenSite

from ..kubevirt.acting import MemoryRest

GPU = SimpleNamespace(nodes="gpu=true", passthrough=None, profile=SimpleNamespace(resource="example.com/vgpu"))
NODE = {"metadata": {"name": "one"}, "spec": {}, "status": {"allocatable": {"example.com/vgpu": "8"}}}
POD = {
    "metadata": {"name": "of-others"},
    "spec": {"nodeName": "one", "containers": [{"resources": {"limits": {"example.com/vgpu": "8"}}}]},
    "status": {"phase": "Running"},
}


class Turns:
    """Our part in sharing, where everybody else is quick."""

    def __init__(self):
        self._held = None

    def take_turn(self, part, mode):
        """Whether it is a new one."""
        before, self._held = self._held, (part, mode)
        return before != self._held

    def end_turn(self):
        """Let others have it."""
        self._held = None


@pytest.fixture
def rest():
    return MemoryRest({}, {"nodes": [NODE], "pods": [POD]})


@pytest.fixture
def opened(rest):
    """A site of eight vGPUs, shared with others, who have them all."""
    site = SimpleNamespace(name="shared", gpu=GPU, kubernetes=SimpleNamespace(unprivileged=None))
    opened = OpenSite(None)
    opened.__dict__ |= {
        "site": site,
        "actors": Actors(SimpleNamespace(site=site, rest=rest), None),
        "sharing": Turns(),
    }
    return opened


@pytest.fixture
def test_of(opened):
    """A test of a module."""
    stash = pytest.Stash()
    stash[SITE] = opened

    def made(module):
        return SimpleNamespace(
            config=SimpleNamespace(stash=stash), session=SimpleNamespace(items=[]), path=Path(module), module=None
        )

    return made


def test_what_others_have_no_more_is_offered_in_the_next_turn(rest, opened, test_of):
    turns.pytest_runtest_setup(test_of("test_a.py"))
    with pytest.raises(Blocked, match=r"vgpus 8 \(offers 0\)"):
        opened.require({"vgpus": 8})
    opened.sharing.end_turn()
    rest.lists["pods"] = []
    turns.pytest_runtest_setup(test_of("test_b.py"))
    opened.require({"vgpus": 8})


def test_it_is_counted_once_a_turn(rest, opened, test_of):
    turns.pytest_runtest_setup(test_of("test_a.py"))
    assert opened.capabilities["vgpus"] == 0
    rest.lists["pods"] = []
    turns.pytest_runtest_setup(test_of("test_a.py"))
    assert opened.capabilities["vgpus"] == 0


def test_a_turn_begins_before_anything_is_counted():
    manager = pytest.PytestPluginManager()
    manager.import_plugin("utilities.plugin")
    called = [each.plugin_name for each in reversed(manager.hook.pytest_runtest_setup.get_hookimpls())]
    assert called.index("utilities.plugin.turns") < called.index("utilities.plugin")
