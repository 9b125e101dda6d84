"""Round trip: a plan that is shown and read again is the same plan, positions aside."""

import random
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unittests.stp.mutants import mutant
from unittests.stp.reading import CASES, plan
from unittests.stp.test_inline import CONTENT
from utilities.stp.errors import StpError
from utilities.stp.inline import read_inline
from utilities.stp.inline_writing import write_cell, write_inline
from utilities.stp.linting import lint, subject_of
from utilities.stp.parsing import find_plans, load_plan, plan_from, plan_of
from utilities.stp.showing import show
from utilities.stp.source import decoded, source_of
from utilities.stp.text import Span, Text

ROOT = Path(__file__).parents[2]
PATHS = [*sorted(CASES.glob("*.md")), *find_plans(ROOT / "stps")]
POSITIONS = ("source", "images", "glued_boxes", "line", "last_line", "details_line", "mitigation_line")


def said(value):
    """A model without its positions; a position that may be absent tells whether it is there."""
    if isinstance(value, Span):
        return value._replace(line=0)
    if is_dataclass(value):
        return {
            field.name: (
                getattr(value, field.name) is not None
                if field.name.endswith("_line")
                else said(getattr(value, field.name))
            )
            for field in fields(value)
            if field.name not in POSITIONS
        }
    if isinstance(value, tuple):
        return [said(each) for each in value]
    return value


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_round_trip(path):
    read = load_plan(path)

    again = plan_from(show(read), path)

    assert said(again) == said(read)
    assert show(again) == show(read)


@pytest.mark.parametrize("path", sorted(find_plans(ROOT / "stps")), ids=lambda path: path.stem)
def test_the_own_plans_lint_the_same_when_they_are_shown(path):
    shown = plan_from(show(load_plan(path)), path)

    def told(read):
        return sorted((finding.id, finding.what) for finding in lint(subject_of(read)))

    assert told(shown) == told(load_plan(path))


def test_mutated_plans_come_back_too():
    chance = random.Random(20260106)
    read = []
    for _ in range(250):
        try:
            text = decoded(mutant(chance), Path("plan.md"))
        except StpError:
            continue
        read.append(plan_of(source_of(text, Path("plan.md"))))

    different = [each for each in read if said(plan_from(show(each), Path("plan.md"))) != said(each)]

    assert len(read) > 100
    assert [show(each) for each in different] == []


def flags(spans):
    return [span._replace(line=0) for span in spans]


@settings(max_examples=200, derandomize=True)
@given(CONTENT.filter(lambda content: "![" not in content and "<" not in content))
def test_inline_text_comes_back(content):
    text = read_inline(content, 1)

    assert flags(read_inline(write_inline(text), 1).spans) == flags(text.spans)


@settings(max_examples=200, derandomize=True)
@given(st.text(st.sampled_from("ab |\\`*_[]()<>&;#1.-"), max_size=12).map(str.strip))
def test_literal_text_comes_back(shown):
    literal = Text((Span(shown, 1),)) if shown else Text()

    assert read_inline(write_inline(literal), 1).plain == shown
    assert "\n" not in write_cell(literal)


def test_what_would_begin_a_block_is_escaped():
    read = plan("# x\n## y\n### Notes\n\\- a\n1\\. b\n\\# c\n\\> d\n\\*\\*\\*\n- \\- e\n- \\# f\n- \n  - g\n")

    again = plan_from(show(read), read.path)

    assert said(again) == said(read)
    assert [type(block).__name__ for block in again.sections[-1].blocks] == ["Paragraph", "ItemList"]


def test_author_habits_become_the_template_manner():
    read = plan(
        """
        # **Openshift-virtualization-tests Test plan**
        ## Disk growth \N{EN DASH} Quality Engineering Plan
        ### II.5 Notes
        * [X] one
           wrapped
            1. two <br/> three
        * - four

        + five

        | a | b|
        |:--|--:|
        | x \\| y | **z**<br>`w` |
        """
    )

    assert show(read).split("\n\n", 2)[2] == (
        "### **II.5 Notes**\n\n"
        "- [x] one\n  wrapped\n  - two\n    three\n- four\n\n"
        "* five\n\n"
        "| a | b |\n| --- | --- |\n| x \\| y | **z**<br>`w` |\n"
    )
