"""The text of one plan: read once, comments blanked in place so that every later line number is the author's."""

import re
from dataclasses import dataclass
from pathlib import Path

from utilities.stp.errors import StpError

LARGEST = 500_000
"""Bytes; the largest real plan has 60 kB."""

_FENCE_OR_COMMENT = re.compile(
    r"^[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*$.*?(?:^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)|(?P<comment><!--.*?(?:-->|\Z))",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Comment:
    """An HTML comment outside code fences; `text` is its body, `line` and `last_line` are 1-based."""

    text: str
    line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Source:
    """`text` as written with `\\n` line ends; `visible` is the same text with comments replaced by blanks."""

    path: Path
    text: str
    visible: str
    comments: tuple[Comment, ...]

    @property
    def lines(self) -> list[str]:
        """The lines as written, without line ends."""
        return self.text.split("\n")


def read_source(path: Path) -> Source:
    """The file at `path`.  Raises StpError naming file and line when it is no readable UTF-8 text."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise StpError(
            f"{path}:1: cannot read: {error.strerror or error}", next_step="check the path and its permissions"
        ) from error
    if len(raw) > LARGEST:
        raise StpError(
            f"{path}:1: {len(raw)} bytes, a plan has at most {LARGEST}", next_step="name a test plan, or split this one"
        )
    return source_of(decoded(raw, path), path)


def decoded(raw: bytes, path: Path) -> str:
    """`raw` as text, byte order mark removed.  Raises StpError at the first byte that is no UTF-8 text."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StpError(
            f"{path}:{line}: byte 0x{raw[error.start]:02x} is not UTF-8", next_step="save the file as UTF-8 text"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise StpError(f"{path}:{line}: NUL byte, this is a binary file", next_step="name a Markdown file")
    return text


def source_of(text: str, path: Path) -> Source:
    """A source from text at hand; `path` only names it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "<!--" not in text:
        return Source(path, text, text, ())
    comments: list[Comment] = []
    parts: list[str] = []
    done = 0
    line = 1
    for match in _FENCE_OR_COMMENT.finditer(text):
        body = match["comment"]
        if body is None:
            continue
        line += text.count("\n", done, match.start())
        parts += [text[done : match.start()], re.sub(r"[^\n]", " ", body)]
        height = body.count("\n")
        comments.append(Comment(body.removeprefix("<!--").removesuffix("-->").strip(), line, line + height))
        line += height
        done = match.end()
    parts.append(text[done:])
    return Source(path, text, "".join(parts), tuple(comments))
