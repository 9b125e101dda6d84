"""Lists read in one pass give what markdown-it gives, for any text at all."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unittests.stp.mutants import mutant
from utilities.stp import markdown
from utilities.stp.errors import StpError
from utilities.stp.markdown import read_markdown
from utilities.stp.source import decoded, source_of

BY_MARKDOWN_IT = markdown._parser()
BY_MARKDOWN_IT.block.ruler.disable(["plan_list"])

INDENTATIONS = ["", " ", "  ", "   ", "    ", "      ", "        ", "\t"]
MARKERS = ["- ", "* ", "-", "*", "-  ", "+ ", "1. ", "> ", "# ", "| "]
LABELS = ["**Risk:** b", "*Sign-off:* c", "**Test Limitations**", "**Motivation:** e"]
TEXTS = ["a", "[x] d", "---", "***", "", "`", "~~~", *LABELS]
LINES = st.tuples(
    st.sampled_from(["", "", *INDENTATIONS]),
    st.sampled_from(["", "", "- ", "- ", "- ", *MARKERS]),
    st.sampled_from(TEXTS),
).map("".join)
DOCUMENTS = st.lists(LINES, max_size=12).map(lambda lines: "- first\n" + "\n".join(lines))


@pytest.fixture
def both(monkeypatch):
    """Reads a text with and without the short cut."""

    def read(text):
        quick = read_markdown(text)
        with monkeypatch.context() as patch:
            patch.setattr(markdown, "_PARSER", BY_MARKDOWN_IT)
            return quick, read_markdown(text)

    return read


def test_generated_lists():
    @settings(max_examples=200, derandomize=True)
    @given(DOCUMENTS)
    def same(text):
        quick = read_markdown(text)
        parser, markdown._PARSER = markdown._PARSER, BY_MARKDOWN_IT
        try:
            assert quick == read_markdown(text)
        finally:
            markdown._PARSER = parser

    same()


def test_damaged_plans(both):
    chance = random.Random(20260107)
    for _ in range(250):
        try:
            text = source_of(decoded(mutant(chance), Path("plan.md")), Path("plan.md")).visible
        except StpError:
            continue
        quick, slow = both(text)
        assert quick == slow, text


@pytest.mark.parametrize(
    "text",
    [
        "- a\n  - b\n\n  c\n    - d\n- e\n",
        "- a\nlazy\n  - b\n**Test Limitations**\n- c\n",
        "- a\n---\n- b\n#### h\n- c\n",
        "- a\n\n  b\n\n\n- c\n\nd\n- e",
        "- a\n* b\n - c\n",
        "* a\n - b\n",
        "- a\n      - b\n",
        "- a\n - b\n",
        "- ![x](y)\n",
    ],
)
def test_corners(both, text):
    quick, slow = both(text)

    assert quick == slow


def test_the_lists_of_a_plan_need_no_markdown_it():
    seen = []
    document = read_markdown("- **Risk:** one\n  - **Mitigation:** two\n    goes on\n- [x] three\n\n  - four\n")
    tokens = markdown._PARSER.parse("- **Risk:** one\n  - **Mitigation:** two\n    goes on\n- [x] three\n\n  - four\n")
    seen += [token.type for token in tokens]

    assert seen == ["plan_list"]
    (items,) = document.blocks
    assert [(item.line, len(item.items)) for item in items.items] == [(1, 1), (4, 1)]
