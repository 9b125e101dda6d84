"""How a run is spread over workers, and what they tell the process that started them."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from utilities.plugin.distribution import LEFT, REFUSED, pytest_cmdline_main, pytest_testnodedown, tell, told

ROOT = Path("/checkout")


def config(*arguments, workers=2, dist="no", dry_run=False):
    option = SimpleNamespace(numprocesses=workers, dist=dist, dry_run=dry_run)
    root = SimpleNamespace(dir=ROOT)
    return SimpleNamespace(option=option, args=arguments, rootpath=ROOT, invocation_params=root, stash=pytest.Stash())


def decided(asked):
    for _ in pytest_cmdline_main(asked):
        pass
    return asked.option.numprocesses, asked.option.dist


@pytest.mark.parametrize(
    ("asked", "then"),
    [
        ({}, (2, "loadscope")),
        ({"dist": "load"}, (2, "load")),
        ({"workers": 0}, (0, "no")),
        ({"workers": None}, (None, "no")),
        ({"dry_run": True}, (0, "no")),
    ],
)
def test_modules_stay_together_unless_told_otherwise(asked, then):
    assert decided(config("tests/a/test_b.py::test_c", **asked)) == then


def test_other_tests_are_spread_as_xdist_likes():
    assert decided(config("unittests")) == (2, "no")


def test_workers_tell_their_controller():
    controller = config("tests")
    for lines in (["a", "b"], ["b", "c"]):
        worker = SimpleNamespace(workerinput={}, workeroutput={})
        tell(worker, LEFT, lines)
        pytest_testnodedown(SimpleNamespace(config=controller, workeroutput=worker.workeroutput))
    assert told(controller, LEFT) == ("a", "b", "c")
    assert told(controller, REFUSED) == ()


def test_a_worker_that_crashed_says_nothing():
    controller = config("tests")
    pytest_testnodedown(SimpleNamespace(config=controller))
    assert told(controller, LEFT) == ()


def test_a_single_process_tells_itself():
    alone = config("tests")
    tell(alone, LEFT, ["a"])
    tell(alone, LEFT, ["a"])
    assert told(alone, LEFT) == ("a",)
