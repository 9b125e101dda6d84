"""Lists as nearly all plans write them: one-character bullets with one blank, indented by what they belong to.

markdown-it's list rule descends into itself for every item.  This rule of ours reads such a list in one pass; at the
first line that is less plain (numbers, tabs, quotes, code, tables, odd indentation) it stands back and leaves the whole
list to markdown-it.  A property test holds both to the same result.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from markdown_it.common.utils import mdTrim
from markdown_it.rules_block import StateBlock

_BULLET = re.compile(r"[-*] (?! )")
_BLOCK_START = re.compile(
    r"[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$)|#{1,6}(?:\s|$)|[>|:]|`{3}|~{3}|(?P<rule>[-*_]\s*(?:[-*_]\s*){2,}$)"
)
_HEADING_OR_RULE = re.compile(r"#{1,6}(?:\s|$)|-{3,}\s*$")
_BULLET_WIDTH = 2
_FARTHEST = 3
"""Columns a bullet may stand right of where it belongs; farther, it is text of the paragraph above."""
_DEEPEST = 20
"""Levels; deeper lists are left to markdown-it, which knows when to stop."""


@dataclass(slots=True)
class RawText:
    """A paragraph of an item from its first source line (1-based) on."""

    line: int
    rows: list[str]

    @property
    def content(self) -> str:
        """As markdown-it would hand it to the inline parser."""
        return mdTrim("\n".join(self.rows))


@dataclass(slots=True)
class RawItem:
    """An item: its paragraphs and items in order."""

    line: int
    pieces: list["RawText | RawItem"] = field(default_factory=list)


@dataclass(slots=True)
class _Level:
    """What is open: where its content begins, where it collects, and the list among its pieces, if one is open."""

    content: int
    pieces: list[RawText | RawItem]
    marker: str = ""
    indentation: int = 0


def read_plain_list(
    state: StateBlock, start: int, end: int, is_label: Callable[[StateBlock, int], bool]
) -> tuple[list[RawText | RawItem], int] | None:
    """(items, first line behind them) of the list at `start`; None when it is not as plain as that."""
    if not _BULLET.match(state.src, state.bMarks[start]):
        return None
    root = _Level(0, [])
    levels = [root]
    blank = False
    line = start
    while line < end:
        begin, stop, indentation = state.bMarks[line] + state.tShift[line], state.eMarks[line], state.sCount[line]
        if begin >= stop:
            blank = True
            line += 1
            continue
        text = state.src[begin:stop]
        if indentation != state.tShift[line] or "![" in text:
            return None
        if _BULLET.match(text):
            if root.marker not in ("", text[0]) and indentation == 0:
                break
            if not _add_item(levels, text, indentation, line + 1):
                return None
        elif indentation == 0 and (_HEADING_OR_RULE.match(text) or is_label(state, line)):
            break
        elif _BLOCK_START.match(text):
            return None
        elif not blank:
            _add_row(levels[-1], text, indentation)
        else:
            while indentation < levels[-1].content:
                levels.pop()
            if len(levels) == 1:
                break
            levels[-1].pieces.append(RawText(line + 1, [text]))
        blank = False
        line += 1
    return root.pieces, line


def _add_item(levels: list[_Level], text: str, indentation: int, line: int) -> bool:
    """Open the item of a bullet line; False when it takes markdown-it to say where it belongs."""
    while indentation < levels[-1].content:
        levels.pop()
    parent = levels[-1]
    shown = text[_BULLET_WIDTH:]
    if not shown.strip() or _BLOCK_START.match(shown) or len(levels) > _DEEPEST:
        return False
    goes_on = parent.marker == text[0]
    if parent is levels[0] and parent.marker and not goes_on:
        return False
    if indentation - parent.content > _FARTHEST or (goes_on and parent.indentation != indentation):
        return False
    parent.marker, parent.indentation = text[0], indentation
    item = RawItem(line, [RawText(line, [shown])])
    parent.pieces.append(item)
    levels.append(_Level(indentation + _BULLET_WIDTH, item.pieces))
    return True


def _add_row(level: _Level, text: str, indentation: int) -> None:
    """The next row of the paragraph that is open; blanks beyond the item's own indentation stay, code may want them."""
    last = level.pieces[-1]
    assert isinstance(last, RawText)
    last.rows.append(" " * max(0, indentation - level.content) + text)
