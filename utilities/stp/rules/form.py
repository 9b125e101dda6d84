"""The surface of the file: boxes, fences, images, blanks."""

from collections.abc import Iterator

from utilities.stp.blocks import Box, Fence, ItemList
from utilities.stp.finding import Severity
from utilities.stp.plan import Plan
from utilities.stp.rule import Hit, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.vocabulary import DESIGN_CHECKS, REVIEW_CHECKS

_KNOWN_ITEMS = {check.title for check in (*REVIEW_CHECKS, *DESIGN_CHECKS)}


@rule("checkbox-malformed", Severity.MEDIUM)
def checkbox_malformed(subject: Subject) -> Iterator[Hit]:
    """A box reads `[]` or is glued to its dash, or an item of I.1, I.3 or II.2 has none.

    Why: a box that cannot be read is neither done nor open.
    Bad: `- [] Environment ready`
    Good: `- [ ] Environment ready`
    """
    plan = subject.plan
    lines: dict[int, str] = {}
    for section in plan.sections:
        for block in section.blocks:
            if isinstance(block, ItemList):
                for top in block.items:
                    lines.update(
                        {item.line: "is malformed" for item in (top, *top.below()) if item.box is Box.MALFORMED}
                    )
    known = [item for item in (*plan.review_items, *plan.design_items) if item.title in _KNOWN_ITEMS]
    lines.update({item.line: "is missing" for item in known if item.box is Box.ABSENT})
    lines.update({item.line: "is missing" for item in plan.strategy if item.types and item.box is Box.ABSENT})
    for line, state in sorted(lines.items()):
        yield Hit(line, f"the box of this item {state}", "write `- [ ] …` or `- [x] …`")


@rule("code-fence-no-language", Severity.MEDIUM)
def code_fence_no_language(subject: Subject) -> Iterator[Hit]:
    """An opening code fence names no language.

    Why: without a language nothing is highlighted, and the repository's Markdown linter refuses it.
    Bad: three backticks alone
    Good: three backticks and `text`
    """
    for fence in _fences(subject.plan):
        if not fence.language:
            yield Hit(fence.line, "code fence without language", "write `text` (or the language) behind the fence")


@rule("image-no-alt", Severity.MEDIUM)
def image_no_alt(subject: Subject) -> Iterator[Hit]:
    """An image has no alternative text.

    Why: who reads text only, or reads after the picture is gone, must learn what it showed.
    Bad: `![](net.png)`
    Good: `![Two nodes, one bridge](net.png)`
    """
    for image in subject.plan.images:
        if not image.alternative.strip():
            yield Hit(image.line, "image without alternative text", "say in brackets what it shows")


@rule("blank-lines-repeated", Severity.LOW)
def blank_lines_repeated(subject: Subject) -> Iterator[Hit]:
    """Two or more blank lines in a row, outside code.

    Why: one blank line separates; more are noise in every later change.
    Bad: two blank lines between sections
    Good: one
    """
    hidden = _hidden(subject.plan)
    lines = subject.plan.source.lines
    for number in range(2, len(lines)):
        blank = not lines[number - 1].strip() and not lines[number - 2].strip() and number not in hidden
        first = number < 3 or bool(lines[number - 3].strip())
        if blank and first:
            yield Hit(number, "repeated blank line", "keep one")


@rule("trailing-whitespace", Severity.LOW)
def trailing_whitespace(subject: Subject) -> Iterator[Hit]:
    """Blanks at the end of a line, outside code and comments.

    Why: two blanks at the end of a line are a line break that nobody sees.
    Bad: `- **Platform:** Bare metal` and two blanks
    Good: `- **Platform:** Bare metal`
    """
    hidden = _hidden(subject.plan)
    for number, line in enumerate(subject.plan.source.lines, 1):
        if line != line.rstrip() and number not in hidden:
            yield Hit(number, "blanks at the end of the line", "delete them")


@rule("no-final-newline", Severity.LOW)
def no_final_newline(subject: Subject) -> Iterator[Hit]:
    """The last line is not ended.

    Why: the next line that is added shows up as a change of the last one.
    Bad: the file ends behind its last word
    Good: the file ends with a line break
    """
    text = subject.plan.source.text
    if text and not text.endswith("\n"):
        yield Hit(text.count("\n") + 1, "the last line is not ended", "end it")


def _fences(plan: Plan) -> Iterator[Fence]:
    for section in plan.sections:
        yield from (block for block in section.blocks if isinstance(block, Fence))


def _hidden(plan: Plan) -> frozenset[int]:
    """Lines inside fences and comments."""
    spans = [(fence.line, fence.last_line) for fence in _fences(plan)]
    spans += [(comment.line, comment.last_line) for comment in plan.source.comments]
    return frozenset(line for first, last in spans for line in range(first, last + 1))
