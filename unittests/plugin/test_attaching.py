"""What was watched is attached to the test it was watched in, once, and its defects are that test's alone."""

import pytest

pytest_plugins = ("pytester",)

CONFTEST = """
from types import SimpleNamespace

import pytest

from utilities.errors import SuiteError
from utilities.plugin.run import RUN

pytest_plugins = ("utilities.plugin.attaching",)


class Sink:
    def __init__(self):
        self.test, self.subjects, self.left = "", [], []

    def begin(self, test):
        self.test = test.partition("::")[2]

    def about(self, subject):
        self.subjects.append(subject)

    def take_subjects(self):
        taken, self.subjects = self.subjects, []
        return taken

    def figure(self, name, value):
        print(f"LEFT {self.test}: {name}: {value}")

    def text(self, title, text):
        print(f"LEFT {self.test}: {title}: {text}")


class Watched:
    def __init__(self, name, error=None):
        self.name, self.error = name, error

    def attach_to(self, sink, *, failed):
        if self.error:
            raise self.error
        print(f"LEFT {sink.test}: {self.name}, failed={failed}")


def pytest_configure(config):
    config.stash[RUN] = SimpleNamespace(sink=Sink())


@pytest.fixture(scope="session")
def evidence(request):
    return request.config.stash[RUN].sink


@pytest.fixture
def watched(evidence):
    found = Watched("fixture's")
    evidence.about(found)
    return found


@pytest.fixture
def broken(evidence):
    evidence.about(Watched("until it broke"))
    raise ValueError("no machine")
"""
SUITE = """
import pytest
from conftest import Watched

from utilities.errors import NotEnoughEvidence


def test_good(evidence, watched):
    evidence.about(watched)
    evidence.about(Watched("its own"))


def test_bad(watched):
    assert False


def test_broken(broken):
    pass


def test_incomplete(evidence):
    evidence.about(Watched("w", NotEnoughEvidence("a gap", next_step="again")))


def test_defect(evidence):
    evidence.about(Watched("w", TypeError("a defect of the suite")))


@pytest.mark.known_issue("guarantee 7: stale traits")
def test_known():
    pass
"""


@pytest.fixture
def left(pytester):
    """What each test has left, in order."""
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(SUITE)
    ended = pytester.runpytest_inprocess("-s", "-p", "no:cacheprovider")
    ended.assert_outcomes(passed=3, failed=2, errors=1)
    ended.stdout.fnmatch_lines(["*TypeError: a defect of the suite"])
    return [line.partition("LEFT ")[2] for line in ended.stdout.lines if "LEFT " in line]


def test_each_test_has_what_was_watched_in_it(left):
    assert left == [
        "test_good: fixture's, failed=False",
        "test_good: its own, failed=False",
        "test_bad: fixture's, failed=True",
        "test_broken: until it broke, failed=True",
        "test_incomplete: evidence is incomplete: a gap",
        "test_known: known issue: guarantee 7: stale traits",
    ]
