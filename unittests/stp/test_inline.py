"""The short cut through inline text gives what markdown-it gives, for any text at all."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from utilities.stp import inline
from utilities.stp.inline import read_alternatives, read_inline

MARKUP = ["*", "**", "***", "[", "]", "(", ")", "!", "_", "`", "<br/>", "<b>", "&amp;", "&", "\\*", "\\", "{", "~"]
WORDS = [" ", "  ", "\n", "\t", "a", "Tier 2", ":", "é", "\u2003", "\x1c", "-", "—", "https://x.example"]
PIECES = st.sampled_from([*MARKUP, *WORDS, "[a](b)", "![a](b)"])
CONTENT = st.lists(PIECES, max_size=14).map("".join).map(str.strip)


def by_markdown_it(content):
    return tuple(inline._merged(inline._spans(inline._tokens(content), 3)))


@settings(max_examples=300, derandomize=True)
@example("**a** b *c*\n  **d:** e  \n f")
@example("*a**b*")
@example("**a*")
@example("** a**")
@example("5 * 3 * 2")
@example("*a* *b")
@given(CONTENT)
def test_same_as_markdown_it(content):
    assert read_inline(content, 3).spans == by_markdown_it(content)


def test_emphasis_without_markdown_it(monkeypatch):
    monkeypatch.setattr(inline, "_tokens", None)

    text = read_inline("**Risk:** one  \n  two *three\nfour* [Tier 2] & more", 7)

    assert [(span.text, span.line, span.strong, span.emphasis) for span in text.spans] == [
        ("Risk:", 7, True, False),
        (" one", 7, False, False),
        ("\n", 7, False, False),
        ("two ", 8, False, False),
        ("three", 8, False, True),
        ("\n", 8, False, False),
        ("four", 9, False, True),
        (" [Tier 2] & more", 9, False, False),
    ]


def test_escapes_and_entities_leave_one_piece():
    (span,) = read_inline(r"a \* b &amp; c", 1).spans

    assert span.text == "a * b & c"


def test_endless_paragraphs_are_taken_literally():
    lines = ["*a" * 8000, "[" * 8000]

    spans = read_inline("\n".join(lines), 1).spans

    assert [span.text for span in spans] == [lines[0], "\n", lines[1]]


def test_alternative_texts_of_images():
    assert read_alternatives("a ![b *c*](d) ![](e) [f](g)") == ("b *c*", "")
