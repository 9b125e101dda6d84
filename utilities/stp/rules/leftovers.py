"""What the template left behind: comments, placeholders, its own descriptions."""

from collections.abc import Iterator, Sequence

from utilities.stp.blocks import Block, Heading, Item, ItemList, Paragraph, Quote, Table
from utilities.stp.finding import Severity
from utilities.stp.plan import Plan
from utilities.stp.readers.scenarios import EXCLUSION_LABEL
from utilities.stp.rule import Hit, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.signing import SIGN_OFF_LABEL
from utilities.stp.silencing import is_silence
from utilities.stp.text import Text, bare
from utilities.stp.values import names_nobody, placeholders
from utilities.stp.vocabulary import Part, words

_OLD_DESCRIPTIONS = (
    "identified potential testing challenges",
    "a meeting where dev/arch walked qe",
    "review of new or modified apis",
    "evaluated multi-cluster, network topology",
    "determined necessary test environment setups",
    "confirmed clear user stories and understood",
    "confirmed requirements are testable and unambiguous",
    "ensured acceptance criteria are defined clearly",
    "confirmed coverage for nfrs, including",
    "ensured requirements contain relevant customer use cases",
)
"""Beginnings of what the old template wrote into its cells, in lower case."""


@rule("template-comment-left", Severity.MEDIUM)
def template_comment_left(subject: Subject) -> Iterator[Hit]:
    """An HTML comment; one before the first heading and one that silences a finding may stay.

    Why: instructions to the author are no part of the plan, and a comment may hide text by accident.
    Bad: `<!-- Mark [x] if done -->`
    Good: the line is deleted
    """
    first = min((section.line for section in subject.plan.sections), default=None)
    for comment in subject.plan.source.comments:
        if first is not None and comment.line > first and not is_silence(comment):
            yield Hit(comment.line, "a comment of the template is left", "delete it")


@rule("placeholder-left", Severity.HIGH)
def placeholder_left(subject: Subject) -> Iterator[Hit]:
    """A placeholder of the template, outside sign-off values and requirement ids.

    One that stands for a person is an open item: nobody has been named yet.

    Why: a placeholder is a question that nobody has answered.
    Bad: `- GA: [version]`
    Good: `- GA: 5.1`
    """
    for text in _texts(subject.plan):
        for token, line in placeholders(text):
            yield Hit(line, f"placeholder {token}", "replace it", open=names_nobody(token))


@rule("template-boilerplate-left", Severity.HIGH)
def template_boilerplate_left(subject: Subject) -> Iterator[Hit]:
    """The template's own description stands where the answer belongs.

    Why: the template says what belongs there; repeating it answers nothing.
    Bad: the cell explains what a kickoff is
    Good: the cell says what was learned in it
    """
    plan = subject.plan
    for item in (*plan.review_items, *plan.design_items):
        answers = [answer for answer in item.answers if answer.content]
        if answers and all(_is_description(answer.content) for answer in answers):
            yield Hit(item.line, f"{item.title} is answered by the template's description", "write what was found")
    for entry in plan.strategy:
        if entry.details and words(entry.details.flat) == words(entry.description.flat):
            yield Hit(entry.line, f"the details of {entry.written} repeat its description", "write what is done")


def _is_description(text: Text) -> bool:
    shown = text.flat.lower()
    return any(description in shown for description in _OLD_DESCRIPTIONS)


def _texts(plan: Plan) -> Iterator[Text]:
    """Every text of the plan that may hold no placeholder."""
    for section in plan.sections:
        yield bare(section.title, section.line)
        yield from _of_blocks(section.blocks, scenarios=section.part is Part.SCENARIOS)


def _of_blocks(blocks: Sequence[Block], *, scenarios: bool) -> Iterator[Text]:
    for block in blocks:
        if isinstance(block, Paragraph | Quote | Heading):
            yield from _unsigned(block.text)
        elif isinstance(block, ItemList):
            for item in block.items:
                yield from _of_item(item, entry=scenarios)
        elif isinstance(block, Table):
            skipped = {block.column("agreement")} | ({block.column("requirement id")} if scenarios else set())
            for row in block.rows:
                yield from (cell for number, cell in enumerate(row.cells) if number not in skipped)


def _of_item(item: Item, *, entry: bool) -> Iterator[Text]:
    lead = item.text.lead if entry else None
    if lead is not None and lead[0].flat.startswith("["):
        yield lead[1]
    elif _is_signature(item.text):
        return
    else:
        yield item.text
    for child in item.items:
        yield from _of_item(child, entry=False)


def _is_signature(text: Text) -> bool:
    found = text.field
    return found is not None and bool(SIGN_OFF_LABEL.search(found[0]) or EXCLUSION_LABEL.fullmatch(found[0]))


def _unsigned(text: Text) -> Iterator[Text]:
    if not _is_signature(text):
        yield text
