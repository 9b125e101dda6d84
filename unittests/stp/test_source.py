"""Reading files: comments keep their lines, whatever is no text is refused with file and line."""

from pathlib import Path

import pytest

from utilities.stp.errors import StpError
from utilities.stp.source import LARGEST, read_source, source_of


def test_comments_are_blanked_and_lines_kept():
    source = source_of("a <!-- one\ntwo --> b\n<!-- three -->\nc\n", Path("p.md"))

    assert source.visible.split("\n") == ["a         ", "        b", "              ", "c", ""]
    assert [(comment.text, comment.line, comment.last_line) for comment in source.comments] == [
        ("one\ntwo", 1, 2),
        ("three", 3, 3),
    ]


def test_unclosed_comment_hides_the_rest():
    assert source_of("a\n<!-- b\nc", Path("p.md")).visible.split() == ["a"]


def test_comment_inside_a_fence_is_code():
    source = source_of("```text\n<!-- no comment -->\n```\n<!-- comment -->\n", Path("p.md"))

    assert [comment.line for comment in source.comments] == [4]
    assert "<!-- no comment -->" in source.visible


def test_fence_inside_a_comment_is_comment():
    assert [c.last_line for c in source_of("<!--\n```\n-->\nx\n```\n<!-- y -->\n```\n", Path("p.md")).comments] == [3]


def test_line_ends_and_byte_order_mark(tmp_path):
    path = tmp_path / "plan.md"
    path.write_bytes(b"\xef\xbb\xbf# A\r\nb\rc\n")

    assert read_source(path).text == "# A\nb\nc\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# A\n\nb\xff\n", r"plan\.md:3: byte 0xff is not UTF-8"),
        (b"# A\n\0\n", r"plan\.md:2: NUL byte"),
        (b"x" * (LARGEST + 1), r"plan\.md:1: 500001 bytes"),
    ],
)
def test_unreadable_content_names_file_and_line(tmp_path, content, message):
    path = tmp_path / "plan.md"
    path.write_bytes(content)

    with pytest.raises(StpError, match=message) as caught:
        read_source(path)
    assert caught.value.next_step


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(StpError, match=r"absent\.md:1: cannot read: No such file"):
        read_source(tmp_path / "absent.md")
    with pytest.raises(StpError, match="cannot read: Is a directory"):
        read_source(tmp_path)
