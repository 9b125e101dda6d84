"""Parent and child plans of one feature."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from utilities.stp.blocks import Item, ItemList, Paragraph, Quote, Table
from utilities.stp.finding import Severity
from utilities.stp.plan import Plan
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.similarity import contained, stems
from utilities.stp.text import Text
from utilities.stp.vocabulary import Part

PARENT = "stp.md"
_NEARLY_EQUAL = 0.9
_SHORTEST = 6


@rule("child-not-listed", Severity.HIGH)
def child_not_listed(subject: Subject) -> Iterator[Hit]:
    """The folder of a parent holds a plan that the parent does not link.

    Why: who reads the parent would miss that part of the feature.
    Bad: `network.md` beside `stp.md`, not linked
    Good: `[network](network.md)` under Child STPs
    """
    metadata = subject.plan.metadata
    linked = _linked(subject.plan) if subject.children else frozenset()
    for name in subject.children:
        if name not in linked:
            yield Hit(metadata.line if metadata else 1, f"{name} is not linked", "list it under Child STPs")


@rule("child-no-parent-link", Severity.MEDIUM)
def child_no_parent_link(subject: Subject) -> Iterator[Hit]:
    """A child plan never links its parent.

    Why: overview, requirements and criteria stand in the parent only.
    Bad: `See the parent plan.`
    Good: `See the [parent plan](stp.md).`
    """
    if subject.child and PARENT not in _linked(subject.plan):
        section = subject.plan.section(Part.OVERVIEW)
        yield Hit(section.line if section else 1, "the parent plan is not linked", f"link {PARENT} in the overview")


@rule("child-duplicates-parent", Severity.HIGH, Kind.HEURISTIC)
def child_duplicates_parent(subject: Subject) -> Iterator[Hit]:
    """Overview, requirements or criteria of a child plan nearly equal the parent's.

    Why: the copies drift apart, and nobody knows which one holds.
    Bad: the parent's overview once more
    Good: what this SIG contributes
    """
    if not subject.child or subject.parent is None:
        return
    parent = [stems(text.flat) for _, text in _statements(subject.parent)]
    for line, text in _statements(subject.plan):
        own = stems(text.flat)
        same = any(contained(own, each) >= _NEARLY_EQUAL and contained(each, own) >= _NEARLY_EQUAL for each in parent)
        if len(own) >= _SHORTEST and same:
            yield Hit(line, "the child repeats its parent", "keep this SIG's share only")


def _statements(plan: Plan) -> Iterator[tuple[int, Text]]:
    section = plan.section(Part.OVERVIEW)
    if section is not None:
        yield section.line, plan.overview
    for statement in (*plan.review.requirements, *plan.review.criteria):
        yield statement.line, statement.text


def _linked(plan: Plan) -> frozenset[str]:
    """File names that any link of the plan points to."""
    found: set[str] = set()
    for section in plan.sections:
        for block in section.blocks:
            texts: list[Text] = []
            if isinstance(block, Paragraph | Quote):
                texts = [block.text]
            elif isinstance(block, ItemList):
                texts = [text for item in block.items for text in _item_texts(item)]
            elif isinstance(block, Table):
                texts = [cell for row in block.rows for cell in row.cells]
            found.update(PurePosixPath(href.partition("#")[0]).name for text in texts for _, href in text.links)
    return frozenset(found)


def _item_texts(item: Item) -> Iterator[Text]:
    yield item.text
    for child in item.items:
        yield from _item_texts(child)
