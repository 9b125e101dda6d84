"""Every rule explains itself: what, why, bad and good, on lines of at most 100 columns."""

import re

import pytest

from utilities.stp.catalogue import CATALOGUE
from utilities.stp.errors import StpError
from utilities.stp.explaining import explain
from utilities.stp.rule import Kind, explained


@pytest.mark.parametrize("rule", CATALOGUE, ids=lambda rule: rule.id)
def test_complete(rule):
    told = rule.explanation
    assert all((told.what, told.why, told.bad, told.good)), told
    assert told.bad != told.good
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.id)
    assert max(map(len, explain(rule.id).splitlines())) <= 100


def test_ids_are_distinct():
    ids = [rule.id for rule in CATALOGUE]

    assert len(set(ids)) == len(ids)


def test_shape():
    assert explain("goal-order") == (
        "goal-order  MEDIUM  (mechanical: exact)\n\n"
        "A goal is more urgent than one before it in the same list.\n\n"
        "Why:  a reader stops where the list stops being important.\n"
        "Bad:  a P2 goal above a P1 goal\n"
        "Good: P0 first, P2 last\n\n"
        "To silence it, on its line or above:\n  <!-- stp-lint: goal-order - reason -->\n"
    )


def test_rules_that_no_program_can_judge_say_so():
    readers = [rule for rule in CATALOGUE if rule.kind is Kind.READER]

    assert [rule.id for rule in readers] == ["goal-post-stable-unjustified", "behaviour-untraced"]
    for rule in readers:
        assert "(needs a reader: never reported)" in explain(rule.id)
        assert "silence" not in explain(rule.id)
        assert list(rule.check(None)) == []


def test_unknown_rule_names_its_neighbours():
    with pytest.raises(StpError) as raised:
        explain("risk-no-sign")

    assert "risk-no-signoff" in raised.value.next_step
    with pytest.raises(StpError) as raised:
        explain("traling-whitespace")
    assert raised.value.next_step.startswith("one of: trailing-whitespace")


def test_parts_of_a_docstring():
    told = explained("What it is.\n\nMore.\n\nWhy: a\n    b\nBad: `x: y`\nGood: z\n")

    assert (told.what, told.why, told.bad, told.good) == ("What it is.\n\nMore.", "a b", "`x: y`", "z")
