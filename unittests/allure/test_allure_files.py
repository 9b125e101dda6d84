"""The files beside the results are what Allure reads: properties, and categories that catch each kind of failure."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utilities.errors import (
    Blocked,
    Forbidden,
    GoalLost,
    GuestError,
    NotEnoughEvidence,
    SiteError,
    UndoFailed,
    Unreachable,
    WaitTimeout,
)
from utilities.evidence.allure_files import categories, write_categories, write_environment


def lines_of(folder):
    text = (folder / "environment.properties").read_text(encoding="utf-8")
    return text.split("\n")[:-1]


def test_facts_are_keys_without_blanks_in_the_order_given(tmp_path):
    write_environment(tmp_path, {"Target": "lab", "Lab seed": "7", "Plan stps/a.md": "sha256:ab", "Odd: key=x": "y"})
    assert lines_of(tmp_path) == ["Target=lab", "Lab.seed=7", "Plan.stps/a.md=sha256:ab", "Odd.key.x=y"]


def test_values_stay_on_their_line_and_backslashes_survive(tmp_path):
    write_environment(tmp_path, {"a": "one\ntwo", "b": "c:\\x"})
    assert lines_of(tmp_path) == ["a=one two", "b=c:\\\\x"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder, written to again and again."""
    return tmp_path_factory.mktemp("allure")


@given(st.dictionaries(st.text(min_size=1), st.text()))
def test_one_fact_is_one_line(folder, facts):
    write_environment(folder, facts)
    found = lines_of(folder)
    assert len(found) == len(facts)
    assert all(re.match(r"[^\s:=]*=", line) for line in found)


def category_of(status, error):
    message = f"{type(error).__module__}.{type(error).__name__}: {error}\nNext: look"
    for rule in categories():
        pattern = rule.get("messageRegex", r"[\s\S]*")
        if status in rule["matchedStatuses"] and re.fullmatch(pattern, message):
            return rule["name"].partition(":")[0]
    return None


def refused():
    return Forbidden("POST /x answers 403", next_step="-", code=403)


@pytest.mark.parametrize(
    ("status", "error", "category"),
    [
        ("failed", AssertionError("assert 1 == 2"), "Product defect"),
        ("broken", WaitTimeout("not Running within 5 s", next_step="-"), "Product defect"),
        ("broken", GoalLost("it ended Failed", next_step="-"), "Product defect"),
        ("broken", GuestError("no answer", next_step="-"), "Product defect"),
        ("broken", Blocked("site lab lacks gpu_nodes 2", next_step="-"), "Blocked"),
        ("skipped", Blocked("site lab lacks gpu_nodes 2", next_step="-"), "Blocked"),
        ("broken", NotEnoughEvidence("a gap", next_step="-"), "Inconclusive"),
        ("broken", SiteError("wrong", next_step="-"), "Site"),
        ("broken", Unreachable("nobody answers", next_step="-"), "Site"),
        ("broken", UndoFailed("left behind: x", next_step="-"), "Site"),
        ("broken", refused(), "Suite defect"),
        ("broken", KeyError("Blocked: in the middle, SiteError: too"), "Suite defect"),
        ("passed", KeyError("x"), None),
    ],
)
def test_every_failure_has_somebody_who_must_act(status, error, category):
    assert category_of(status, error) == category


def test_categories_are_written_as_json_without_inline_flags(tmp_path):
    write_categories(tmp_path / "allure")
    written = json.loads((tmp_path / "allure/categories.json").read_text())
    assert written == categories()
    assert "(?" not in json.dumps(written)  # JavaScript knows no such flags
