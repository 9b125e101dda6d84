"""Markdown to blocks, with markdown-it underneath.

Where CommonMark would fold a bold label into the list item above it, a block rule of our own ends the list
(stp sheet §1.12).  Setext headings, indented code, HTML blocks and link definitions are switched off: plans use
none of them on purpose, and each would swallow text that an author meant as a list or a rule.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt, rules_block
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from utilities.stp.blocks import Block, Box, Fence, Heading, Image, Item, ItemList, Label, Paragraph, Quote, Row, Table
from utilities.stp.inline import DEEPEST, read_alternatives, read_inline
from utilities.stp.plain_lists import RawItem, read_plain_list
from utilities.stp.text import Span, Text, joined
from utilities.stp.vocabulary import CONVENTIONS, MOTIVATION_NOTE, label_name

_BOLD_LINE = re.compile(r"\*\*(?P<label>[^*]+)\*\*(?P<rest>.*)")
_BOX = re.compile(r"\[(?P<mark>[ xX]?)\][ \t]*")
_GLUED_BOX = re.compile(r"^([ \t]*[-*])(\[[ xX]?\])(?=[ \t])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Document:
    """The blocks of a text in order, its images, and the lines whose box is glued to the list marker (`-[x]`)."""

    blocks: tuple[Block, ...]
    images: tuple[Image, ...]
    glued_boxes: frozenset[int]


def read_markdown(text: str) -> Document:
    """Parse `text`; any text at all is legal Markdown, so this raises nothing."""
    glued = frozenset(text.count("\n", 0, match.start()) + 1 for match in _GLUED_BOX.finditer(text))
    tokens = _PARSER.parse(_GLUED_BOX.sub(r"\1 \2", text))
    return Document(tuple(_blocks(_nested(tokens), glued)), tuple(_images(tokens) if "![" in text else ()), glued)


@dataclass(slots=True)
class _Node:
    """A block token with what stands between it and its closing token."""

    token: Token
    children: list["_Node"]

    @property
    def line(self) -> int:
        """1-based; 1 for the few tokens that carry no position."""
        return self.token.map[0] + 1 if self.token.map else 1

    def inline(self, line: int) -> Text:
        """The text of the first inline token directly below."""
        return next((read_inline(child.token.content, line) for child in self.children if child.is_inline), Text())

    @property
    def is_inline(self) -> bool:
        return self.token.type == "inline"

    def walk(self) -> Iterator["_Node"]:
        """This node and everything below it, in order."""
        yield self
        for child in self.children:
            yield from child.walk()


def _nested(tokens: Sequence[Token]) -> list[_Node]:
    levels: list[list[_Node]] = [[]]
    for token in tokens:
        if token.nesting < 0:
            levels.pop()
            continue
        node = _Node(token, [])
        levels[-1].append(node)
        if token.nesting > 0:
            levels.append(node.children)
    return levels[0]


def _label_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A line at column 0 that is one bold label of the template; as a terminator also a leading metadata label."""
    del end
    if state.sCount[start] != 0:
        return False
    line = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    match = _BOLD_LINE.match(line)
    if match is None:
        return False
    alone = match["rest"].strip() in ("", ":")
    name = label_name(match["label"])
    if silent:
        return (alone and name is not None) or match["label"].startswith((CONVENTIONS, MOTIVATION_NOTE))
    if not alone or name is None:
        return False
    token = state.push("plan_label", "", 0)
    token.map = [start, start + 1]
    token.content = name
    state.line = start + 1
    return True


def _plain_list_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A list of the document itself that is plain enough to be read in one pass; it ends no other block."""
    if silent or state.level or state.sCount[start] or state.src[state.bMarks[start]] not in "-*":
        return False
    found = read_plain_list(state, start, end, lambda here, line: _label_rule(here, line, end, True))
    if found is None:
        return False
    items, behind = found
    token = state.push("plan_list", "", 0)
    token.map = [start, behind]
    token.meta = {"items": items}
    state.line = behind
    return True


_BlockRule = Callable[[StateBlock, int, int, bool], bool]
_RULES: tuple[tuple[str, _BlockRule, str, tuple[str, ...]], ...] = (
    ("fence", rules_block.fence, "`~", ("paragraph", "blockquote", "list")),
    ("blockquote", rules_block.blockquote, ">", ("paragraph", "blockquote", "list")),
    ("hr", rules_block.hr, "*-_", ("paragraph", "blockquote", "list")),
    ("list", rules_block.list_block, "*+-0123456789", ("paragraph", "blockquote")),
    ("heading", rules_block.heading, "#", ("paragraph", "blockquote")),
)
"""markdown-it's own rules with the characters they begin with and the blocks that they end."""


def _only_at(characters: str, rule: _BlockRule) -> _BlockRule:
    """The rule, asked only about lines that begin with one of `characters`: no other line can be its business."""
    first = frozenset(characters)

    def guarded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        begin = state.bMarks[start] + state.tShift[start]
        return state.src[begin : begin + 1] in first and rule(state, start, end, silent)

    return guarded


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": DEEPEST})
    parser.enable("table").disable(["code", "html_block", "lheading", "reference"])
    parser.core.ruler.disable(["inline", "text_join"])
    for name, rule, characters, ends in _RULES:
        parser.block.ruler.at(name, _only_at(characters, rule), {"alt": [*ends]})
    parser.block.ruler.before("table", "plan_label", _label_rule, {"alt": ["paragraph", "list", "blockquote", "table"]})
    parser.block.ruler.before("table", "plan_list", _plain_list_rule, {"alt": []})
    return parser


_PARSER = _parser()


def _blocks(nodes: Sequence[_Node], glued: frozenset[int]) -> Iterator[Block]:
    for node in nodes:
        kind, line = node.token.type, node.line
        if kind == "heading_open":
            yield Heading(line, int(node.token.tag[1:]), node.inline(line))
        elif kind == "plan_label":
            yield Label(line, node.token.content)
        elif kind == "paragraph_open":
            yield Paragraph(line, node.inline(line))
        elif kind in ("bullet_list_open", "ordered_list_open"):
            yield ItemList(line, tuple(_item(child, glued) for child in node.children))
        elif kind == "plan_list":
            yield ItemList(line, tuple(_raw_item(item, glued) for item in node.token.meta["items"]))
        elif kind == "table_open":
            yield _table(node)
        elif kind == "fence":
            yield Fence(line, node.token.map[1] if node.token.map else line, node.token.info.strip())
        elif kind == "blockquote_open":
            yield Quote(
                line, joined(read_inline(each.token.content, each.line) for each in node.walk() if each.is_inline)
            )


def _item(node: _Node, glued: frozenset[int]) -> Item:
    """A list item out of markdown-it's tokens."""
    pieces: list[Item] = []
    for block in _blocks(node.children, glued):
        if isinstance(block, Paragraph):
            pieces += _labelled_lines(block.text)
        elif isinstance(block, ItemList):
            pieces += block.items
        elif isinstance(block, Heading | Quote):
            pieces.append(Item(block.line, block.text))
        elif isinstance(block, Table):
            pieces += [Item(row.line, cell) for row in block.rows for cell in row.cells]
    return _assembled(node.line, pieces, glued)


def _raw_item(raw: RawItem, glued: frozenset[int]) -> Item:
    """A list item of a plain list."""
    pieces: list[Item] = []
    for piece in raw.pieces:
        if isinstance(piece, RawItem):
            pieces.append(_raw_item(piece, glued))
        else:
            pieces += _labelled_lines(read_inline(piece.content, piece.line))
    return _assembled(raw.line, pieces, glued)


def _assembled(line: int, pieces: list[Item], glued: frozenset[int]) -> Item:
    """An item of its pieces: the text on its own line is its own, further paragraphs and labelled lines are nested."""
    own = Text()
    if pieces and pieces[0].line == line and not pieces[0].items and pieces[0].box is Box.ABSENT:
        own = pieces.pop(0).text
    box = Box.ABSENT
    match = _BOX.match(own.plain)
    if match is not None:
        own = own.after(match.end())
        box = {"": Box.MALFORMED, " ": Box.OPEN}.get(match["mark"], Box.MARKED)
        if line in glued:
            box = Box.MALFORMED
    return Item(line, own, tuple(pieces), box)


def _labelled_lines(text: Text) -> list[Item]:
    """Cut before every line that begins with an emphasised label and a colon; nothing when nothing is shown."""
    if "\n" not in text.plain:
        return [Item(text.line, text)] if text else []
    parts: list[list[Span]] = []
    for row in text.lines():
        if not parts or row.field is not None:
            parts.append([])
        else:
            parts[-1].append(Span("\n", parts[-1][-1].line))
        parts[-1] += row.spans
    texts = (Text(tuple(part)) for part in parts)
    return [Item(part.line, part) for part in texts]


def _table(node: _Node) -> Table:
    rows = [
        Row(row.line, tuple(cell.inline(row.line).trimmed() for cell in row.children))
        for row in node.walk()
        if row.token.type == "tr_open"
    ]
    return Table(node.line, rows[0].cells if rows else (), tuple(rows[1:]))


def _images(tokens: Sequence[Token]) -> Iterator[Image]:
    for token in tokens:
        if token.type == "inline":
            for alternative in read_alternatives(token.content):
                yield Image(token.map[0] + 1 if token.map else 1, alternative)
